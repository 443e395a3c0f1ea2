import { decode, encode } from './base64url.ts'
import { openBox, sealBox } from './box.ts'
import { concat, equal, field, randomBytes, u32, u64, utf8Bytes, type Bytes } from './bytes.ts'
import { SealError } from './error.ts'
import type { Stretch } from './passphrase.ts'
import { openSealedRoot, sealRoot } from './sealed-root.ts'
import { KEYS_LABEL, rootCheck, rowMacKey, type RootKey } from './root-key.ts'
import { newStretch, wrappingKey, type UnlockSecret } from './unlock-secret.ts'

/** One way of opening the account's root key, as the server keeps it. */
export interface Unlocker {
  readonly id: string
  readonly kind: 'passkey' | 'passphrase' | 'recovery'
  readonly name: string
  readonly created: number
  readonly credential: string | null
  readonly publicKey: string
  readonly wrappedKey: string
  readonly stretch: Stretch | null
  readonly sealedRoot: string
  readonly mac: string
}

/** What a new unlocker opens with, and what the person reads in the list. */
export interface NewUnlocker {
  readonly secret: UnlockSecret
  readonly name: string
}

const PRIVATE = 32
const P256 = { name: 'ECDH', namedCurve: 'P-256' } as const

/** What an unlocker's secret opens: the private key, and which root key there was when it was made. */
export interface OpenedUnlocker {
  readonly privateKey: CryptoKey
  readonly madeAt: { readonly epoch: number; readonly check: Bytes }
}

/** Makes the row of a new unlocker. */
export async function makeUnlocker(root: RootKey, { secret, name }: NewUnlocker, now: number): Promise<Unlocker> {
  const pair = await crypto.subtle.generateKey(P256, true, ['deriveBits'])
  const publicBytes = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
  const privateBytes = decode((await crypto.subtle.exportKey('jwk', pair.privateKey)).d)
  if (privateBytes?.length !== PRIVATE) throw new SealError('invalid-key')
  const stretch = await newStretch(secret)
  const id = encode(randomBytes(16))
  const credential = secret.kind === 'passkey' ? secret.credential : null
  const made = { id, kind: secret.kind, name, created: now, credential, publicKey: encode(publicBytes), stretch }
  const plaintext = concat(privateBytes, u32(root.epoch), await rootCheck(root))
  const wrappedKey = await sealBox(await wrappingKey(root.account, secret, stretch), wrapBinding(root.account, made), plaintext)
  privateBytes.fill(0)
  plaintext.fill(0)
  return sealedTo(root, { ...made, wrappedKey })
}

/** The same unlocker, holding this root key. */
export async function sealedTo(root: RootKey, row: Omit<Unlocker, 'sealedRoot' | 'mac'>): Promise<Unlocker> {
  const sealedRoot = await sealRoot(root, row.id, publicKeyOf(row))
  const { id, kind, name, created, credential, publicKey, wrappedKey, stretch } = row
  const whole = { id, kind, name, created, credential, publicKey, wrappedKey, stretch, sealedRoot }
  const mac = await crypto.subtle.sign('HMAC', await rowMacKey(root), macText(root, whole))
  return { ...whole, mac: encode(new Uint8Array(mac)) }
}

/**
 * Opens an unlocker with its secret; undefined when it is not the secret of this one.
 * @throws {SealError} `invalid-secret`, `invalid-code`; `integrity` when its passphrase would be stretched below the floor
 */
export async function openUnlocker(account: string, row: Unlocker, secret: UnlockSecret): Promise<OpenedUnlocker | undefined> {
  const key = await wrappingKey(account, secret, row.stretch)
  const opened = await openBox(key, wrapBinding(account, row), row.wrappedKey).catch(() => undefined)
  if (opened === undefined) return undefined
  if (opened.length !== PRIVATE + 4 + 32) throw new SealError('integrity')
  const point = publicKeyOf(row)
  const jwk = { kty: 'EC', crv: 'P-256', x: encode(point.subarray(1, 33)), y: encode(point.subarray(33)), d: encode(opened.subarray(0, PRIVATE)) }
  const privateKey = await crypto.subtle.importKey('jwk', jwk, P256, false, ['deriveBits']).catch(() => {
    throw new SealError('integrity')
  })
  const epoch = new DataView(opened.buffer).getUint32(PRIVATE)
  const check = opened.slice(PRIVATE + 4)
  opened.fill(0)
  return { privateKey, madeAt: { epoch, check } }
}

/** The root key an opened unlocker holds. @throws {SealError} `integrity` */
export function openRoot(account: string, epoch: number, row: Unlocker, { privateKey }: OpenedUnlocker): Promise<RootKey> {
  return openSealedRoot(account, epoch, { id: row.id, publicKey: publicKeyOf(row), privateKey, sealed: row.sealedRoot })
}

/** Passes when the root key made every one of these rows at its epoch. @throws {SealError} `integrity` */
export async function verifyRows(root: RootKey, rows: readonly Unlocker[]): Promise<void> {
  const key = await rowMacKey(root)
  const verified = rows.map(async row => {
    const mac = decode(row.mac)
    return mac !== undefined && (await crypto.subtle.verify('HMAC', key, mac, macText(root, row)))
  })
  const ids = new Set(rows.map(({ id }) => id))
  if (ids.size !== rows.length || (await Promise.all(verified)).includes(false)) throw new SealError('integrity')
}

/** Passes when this root key, or none known, was there when the unlocker was made. @throws {SealError} `integrity` */
export async function verifyMade(roots: readonly RootKey[], { madeAt }: OpenedUnlocker): Promise<void> {
  const root = roots.find(({ epoch }) => epoch === madeAt.epoch)
  if (root === undefined || !equal(await rootCheck(root), madeAt.check)) throw new SealError('integrity')
}

function publicKeyOf({ publicKey }: { readonly publicKey: string }): Bytes {
  const point = decode(publicKey)
  if (point?.length !== 65 || point[0] !== 4) throw new SealError('integrity')
  return point
}

type Made = Pick<Unlocker, 'id' | 'kind' | 'credential' | 'publicKey' | 'stretch'>

function wrapBinding(account: string, row: Made): Bytes {
  return concat(utf8Bytes(`${KEYS_LABEL}/unlocker`), field(account), madeFields(row))
}

function macText({ account, epoch }: RootKey, row: Omit<Unlocker, 'mac'>): Bytes {
  const rest = [field(row.name), u64(row.created), field(row.wrappedKey), field(row.sealedRoot)]
  return concat(utf8Bytes(`${KEYS_LABEL}/row`), field(account), u32(epoch), madeFields(row), ...rest)
}

function madeFields({ id, kind, credential, publicKey, stretch }: Made): Bytes {
  const optional = [
    credential === null ? Uint8Array.of(0) : concat(Uint8Array.of(1), field(credential)),
    stretch === null ? Uint8Array.of(0) : concat(Uint8Array.of(1), field(stretch.salt), u32(stretch.memory), u32(stretch.passes), u32(stretch.lanes)),
  ]
  return concat(field(id), field(kind), field(publicKey), ...optional)
}
