// Account keys and file envelopes written from seal/FORMAT.md alone, with node:crypto and nothing of this package: what it seals, the package opens, and the other way round.
import { argon2Sync, createCipheriv, createDecipheriv, createECDH, createHash, createHmac, hkdfSync } from 'node:crypto'

const ascii = (text: string): Buffer => Buffer.from(text, 'ascii')
const hkdf = (key: Buffer, salt: string | Buffer, info: Buffer): Buffer => Buffer.from(hkdfSync('sha256', key, salt, info, 32))
const u16 = (value: number): Buffer => integer(2, bytes => bytes.writeUInt16BE(value))
const u32 = (value: number): Buffer => integer(4, bytes => bytes.writeUInt32BE(value))
const u64 = (value: number): Buffer => integer(8, bytes => bytes.writeBigUInt64BE(BigInt(value)))
const field = (text: string): Buffer => Buffer.concat([u16(Buffer.byteLength(text)), Buffer.from(text, 'utf8')])

function integer(length: number, write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(length)
  write(bytes)
  return bytes
}

function gcm(key: Buffer, nonce: Buffer, additional: Buffer, plaintext: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(additional)
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

function ungcm(key: Buffer, additional: Buffer, box: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, 12)).setAAD(additional).setAuthTag(box.subarray(-16))
  return Buffer.concat([decipher.update(box.subarray(12, -16)), decipher.final()])
}

/** What an unlocker opens with. */
export type Secret =
  | { readonly kind: 'passkey'; readonly credential: string; readonly prf: string }
  | { readonly kind: 'recovery'; readonly code: string }
  | { readonly kind: 'passphrase'; readonly text: string }

/** The parameters of Argon2id. */
export interface Stretch {
  readonly salt: string
  readonly memory: number
  readonly passes: number
  readonly lanes: number
}

/** A row of the key state. */
export interface Row {
  readonly id: string
  readonly kind: string
  readonly name: string
  readonly created: number
  readonly credential: string | null
  readonly publicKey: string
  readonly wrappedKey: string
  readonly stretch: Stretch | null
  readonly sealedRoot: string
  readonly mac: string
}

/** What proves a recovery code. */
export const recoveryProof = (code: string): string => hkdf(ascii(code), '', ascii('deputy/recovery/v1/proof')).toString('base64url')

/** KEK of the format. */
export function wrappingKey(account: string, secret: Secret, stretch: Stretch | null): Buffer {
  const info = ascii(`deputy/keys/v1/${secret.kind}`)
  if (secret.kind === 'recovery') return hkdf(ascii(secret.code), account, info)
  if (secret.kind === 'passkey') return hkdf(Buffer.from(secret.prf, 'hex'), account, Buffer.concat([info, field(secret.credential)]))
  if (stretch === null) throw new Error('a passphrase is stretched')
  const { memory, passes, lanes } = stretch
  const nonce = Buffer.from(stretch.salt, 'base64url')
  return hkdf(argon2Sync('argon2id', { message: secret.text.normalize('NFC'), nonce, memory, passes, parallelism: lanes, tagLength: 32 }), account, info)
}

type Made = Pick<Row, 'id' | 'kind' | 'credential' | 'publicKey' | 'stretch'>

const made = ({ id, kind, credential, publicKey, stretch }: Made): Buffer =>
  Buffer.concat([
    field(id),
    field(kind),
    field(publicKey),
    credential === null ? Buffer.of(0) : Buffer.concat([Buffer.of(1), field(credential)]),
    stretch === null ? Buffer.of(0) : Buffer.concat([Buffer.of(1), field(stretch.salt), u32(stretch.memory), u32(stretch.passes), u32(stretch.lanes)]),
  ])

const wrapBinding = (account: string, row: Made): Buffer => Buffer.concat([ascii('deputy/keys/v1/unlocker'), field(account), made(row)])
const rootBinding = (account: string, epoch: number, id: string): Buffer => Buffer.concat([ascii('deputy/keys/v1/root'), field(account), u32(epoch), field(id)])
const check = (account: string, epoch: number, root: Buffer): Buffer => hkdf(root, account, Buffer.concat([ascii('deputy/keys/v1/check'), u32(epoch)]))

/** The MAC of a row under a root key. */
export function rowMac(account: string, epoch: number, root: Buffer, row: Omit<Row, 'mac'>): string {
  const key = hkdf(root, account, Buffer.concat([ascii('deputy/keys/v1/row'), u32(epoch)]))
  const text = Buffer.concat([
    ascii('deputy/keys/v1/row'),
    field(account),
    u32(epoch),
    made(row),
    field(row.name),
    u64(row.created),
    field(row.wrappedKey),
    field(row.sealedRoot),
  ])
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** All that is random in an unlocker, in hex. */
export interface Randomness {
  readonly privateKey: string
  readonly wrapNonce: string
  readonly ephemeral: string
  readonly rootNonce: string
}

/** The root key sealed to a public key. */
export function sealRoot(account: string, epoch: number, root: Buffer, row: Pick<Row, 'id' | 'publicKey'>, ephemeral: Buffer, nonce: Buffer): string {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(ephemeral)
  const receiver = Buffer.from(row.publicKey, 'base64url')
  const key = hkdf(pair.computeSecret(receiver), account, Buffer.concat([ascii('deputy/keys/v1/root'), pair.getPublicKey(), receiver]))
  return Buffer.concat([pair.getPublicKey(), gcm(key, nonce, rootBinding(account, epoch, row.id), root)]).toString('base64url')
}

/** A new unlocker's row. */
export function unlocker(
  { account, epoch, root }: { readonly account: string; readonly epoch: number; readonly root: Buffer },
  {
    id,
    name,
    created,
    secret,
    stretch,
  }: { readonly id: string; readonly name: string; readonly created: number; readonly secret: Secret; readonly stretch: Stretch | null },
  random: Randomness,
): Row {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(Buffer.from(random.privateKey, 'hex'))
  const publicKey = pair.getPublicKey().toString('base64url')
  const row = { id, kind: secret.kind, name, created, credential: secret.kind === 'passkey' ? secret.credential : null, publicKey, stretch }
  const plaintext = Buffer.concat([Buffer.from(random.privateKey, 'hex'), u32(epoch), check(account, epoch, root)])
  const wrappedKey = gcm(wrappingKey(account, secret, stretch), Buffer.from(random.wrapNonce, 'hex'), wrapBinding(account, row), plaintext).toString(
    'base64url',
  )
  return resealed({ account, epoch, root }, { ...row, wrappedKey }, random)
}

/** The same unlocker holding another root key. */
export function resealed(
  { account, epoch, root }: { readonly account: string; readonly epoch: number; readonly root: Buffer },
  row: Omit<Row, 'sealedRoot' | 'mac'>,
  random: Pick<Randomness, 'ephemeral' | 'rootNonce'>,
): Row {
  const sealedRoot = sealRoot(account, epoch, root, row, Buffer.from(random.ephemeral, 'hex'), Buffer.from(random.rootNonce, 'hex'))
  const whole = { ...row, sealedRoot }
  return { ...whole, mac: rowMac(account, epoch, root, whole) }
}

/** Opens a row: the private key, and the root key it holds. */
export function openRow(account: string, epoch: number, row: Row, secret: Secret): { root: Buffer; madeAt: number; check: string } {
  const opened = ungcm(wrappingKey(account, secret, row.stretch), wrapBinding(account, row), Buffer.from(row.wrappedKey, 'base64url'))
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(opened.subarray(0, 32))
  const sealed = Buffer.from(row.sealedRoot, 'base64url')
  const [point, box] = [sealed.subarray(0, 65), sealed.subarray(65)]
  const key = hkdf(pair.computeSecret(point), account, Buffer.concat([ascii('deputy/keys/v1/root'), point, pair.getPublicKey()]))
  const root = ungcm(key, rootBinding(account, epoch, row.id), box)
  return { root, madeAt: opened.readUInt32BE(32), check: opened.subarray(36).toString('hex') }
}

/** What a root key is known by. */
export const rootCheck = (account: string, epoch: number, root: Buffer): string => check(account, epoch, root).toString('hex')

const linkKey = (account: string, epoch: number, root: Buffer): Buffer => hkdf(root, account, Buffer.concat([ascii('deputy/keys/v1/chain'), u32(epoch)]))
const linkBinding = (account: string, epoch: number): Buffer => Buffer.concat([ascii('deputy/keys/v1/chain'), field(account), u32(epoch)])

/** The root key of an epoch wrapped under the next. */
export const link = (account: string, epoch: number, older: Buffer, newer: Buffer, nonce: Buffer): string =>
  gcm(linkKey(account, epoch + 1, newer), nonce, linkBinding(account, epoch), older).toString('base64url')
/** The root key of an epoch out of its link. */
export const openLink = (account: string, epoch: number, newer: Buffer, wrapped: string): Buffer =>
  ungcm(linkKey(account, epoch + 1, newer), linkBinding(account, epoch), Buffer.from(wrapped, 'base64url'))

/** An app's key of one epoch. */
export const appKey = (account: string, app: string, root: Buffer): Buffer => hkdf(root, account, Buffer.concat([ascii('deputy/app/v1'), field(app)]))
/** The name of a file, under the root key of epoch 1. */
export function fileName(account: string, app: string, firstRoot: Buffer, path: string): string {
  const key = hkdf(firstRoot, account, Buffer.concat([ascii('deputy/app/v1/names'), field(app)]))
  return createHmac('sha256', key)
    .update(Buffer.concat([ascii('deputy/file/v1/name'), Buffer.from(path, 'utf8')]))
    .digest('base64url')
}

/** Where a file belongs. */
export interface Place {
  readonly account: string
  readonly app: string
  readonly epoch: number
  /** The app's key of that epoch. */
  readonly key: Buffer
}

/** What an entry tells. */
export interface Entry {
  readonly path: string
  readonly contentType: string | null
  readonly size: number
  readonly sealedAt: number
}

const entryKey = (key: Buffer): Buffer => hkdf(key, '', ascii('deputy/file/v1/entry'))
const entryBinding = ({ account, app, epoch }: Place, name: string): Buffer =>
  Buffer.concat([ascii('deputy/file/v1/entry'), field(account), field(app), field(name), u32(epoch)])

/** A sealed entry. */
export function entry(place: Place, name: string, { path, contentType, size, sealedAt }: Entry, nonce: Buffer): string {
  const told = Buffer.concat([u64(size), u64(sealedAt), field(path), Buffer.of(contentType === null ? 0 : 1), field(contentType ?? '')])
  const padded = Buffer.concat([told, Buffer.alloc(Math.ceil(told.length / 64) * 64 - told.length)])
  return gcm(entryKey(place.key), nonce, entryBinding(place, name), padded).toString('base64url')
}

/** Opens an entry. */
export function openEntry(place: Place, name: string, meta: string): Entry {
  const bytes = ungcm(entryKey(place.key), entryBinding(place, name), Buffer.from(meta, 'base64url'))
  const pathEnd = 18 + bytes.readUInt16BE(16)
  const typeEnd = pathEnd + 3 + bytes.readUInt16BE(pathEnd + 1)
  return {
    path: bytes.subarray(18, pathEnd).toString('utf8'),
    contentType: bytes[pathEnd] === 0 ? null : bytes.subarray(pathEnd + 3, typeEnd).toString('utf8'),
    size: Number(bytes.readBigUInt64BE(0)),
    sealedAt: Number(bytes.readBigUInt64BE(8)),
  }
}

const RECORD = 1_048_576

/** The bytes before a file's records. */
export const header = (epoch: number, sealedAt: number, salt: Buffer): Buffer => Buffer.concat([Buffer.of(1), u32(epoch), u64(sealedAt), salt])

function recordContext({ account, app, key }: Place, { path, contentType }: Pick<Entry, 'path' | 'contentType'>, head: Buffer) {
  const hash = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()
  const type = contentType === null ? Buffer.of(0) : Buffer.concat([Buffer.of(1), Buffer.from(contentType, 'utf8')])
  const binding = Buffer.concat([ascii('deputy/file/v1'), field(account), field(app), hash(Buffer.from(path, 'utf8')), hash(type), head])
  return { fileKey: hkdf(key, head.subarray(13), ascii('deputy/file/v1')), binding }
}

/** A sealed file. */
export function file(place: Place, told: Omit<Entry, 'size'>, plaintext: Buffer, salt: Buffer, prefix: Buffer): Buffer {
  const head = header(place.epoch, told.sealedAt, salt)
  const { fileKey, binding } = recordContext(place, told, head)
  const records = Math.max(1, Math.ceil(plaintext.length / RECORD))
  const sealed = Array.from({ length: records }, (_, index) =>
    gcm(
      fileKey,
      Buffer.concat([prefix, u32(index)]),
      Buffer.concat([binding, u64(plaintext.length), u32(index)]),
      plaintext.subarray(index * RECORD, (index + 1) * RECORD),
    ),
  )
  return Buffer.concat([head, ...sealed])
}

/** Opens a sealed file. */
export function openFile(place: Place, told: Pick<Entry, 'path' | 'contentType' | 'size'>, sealed: Buffer): { plaintext: Buffer; sealedAt: number } {
  const head = sealed.subarray(0, 29)
  const { fileKey, binding } = recordContext(place, told, head)
  const records = Math.max(1, Math.ceil(told.size / RECORD))
  const plaintext = Array.from({ length: records }, (_, index) => {
    const start = 29 + index * (RECORD + 28)
    return ungcm(fileKey, Buffer.concat([binding, u64(told.size), u32(index)]), sealed.subarray(start, start + RECORD + 28))
  })
  return { plaintext: Buffer.concat(plaintext), sealedAt: Number(head.readBigUInt64BE(5)) }
}
