// Room frames written from seal/FORMAT.md alone, with node:crypto and nothing of this package: what it seals, the package opens, and the other way round.
import { createCipheriv, createDecipheriv, createHash, createPrivateKey, createPublicKey, hkdfSync, sign, verify, type KeyObject } from 'node:crypto'

const ascii = (text: string): Buffer => Buffer.from(text, 'ascii')
const hkdf = (key: string, salt: Buffer, info: string): Buffer => Buffer.from(hkdfSync('sha256', Buffer.from(key, 'base64url'), salt, ascii(info), 32))
const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

/** V of the format. */
export const verifier = (key: string, room: string): Buffer => hkdf(key, ascii(room), 'deputy/room/v1/join')

/** The private key that follows from a seed, and the public key's 32 bytes. */
export function pairOf(seed: Buffer): { privateKey: KeyObject; publicKey: Buffer } {
  const privateKey = createPrivateKey({ key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]), format: 'der', type: 'pkcs8' })
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' })
  return { privateKey, publicKey: Buffer.from(x ?? '', 'base64url') }
}

/** The id of a public key in a room. */
export const memberId = (room: string, publicKey: Buffer): string =>
  createHash('sha256')
    .update(Buffer.concat([ascii('deputy/room/v1/member'), ascii(room), publicKey]))
    .digest('base64url')
    .slice(0, 22)

/** The credential of the member with this seed. */
export function credential(key: string, room: string, seed: Buffer, since: number, nonce: Buffer): string {
  const { publicKey } = pairOf(seed)
  const additional = Buffer.concat([ascii('deputy/room/v1/members'), ascii(room), ascii(memberId(room, publicKey))])
  return box(hkdf(key, ascii(room), 'deputy/room/v1/members'), nonce, additional, Buffer.concat([publicKey, u64(since)])).toString('base64url')
}

/** What a frame is sealed as. */
export interface Kind {
  readonly room: string
  readonly author: string
  readonly edit?: { readonly from: string; readonly revision: number } | undefined
}

/** The additional data of a frame. */
export function additionalData({ room, author, edit }: Kind): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(room.length)
  const head = [ascii('deputy/room/v1/message'), length, ascii(room), ascii(author)]
  return Buffer.concat(edit === undefined ? [...head, Buffer.of(0)] : [...head, Buffer.of(1), ascii(edit.from), u64(edit.revision)])
}

/** The AES-GCM key of one sender. */
export const messageKey = (key: string, room: string, author: string): Buffer => hkdf(key, ascii(author), `deputy/room/v1/message${room}`)

/** A frame's content. */
export interface Content {
  readonly counter: number
  readonly sentAt: number
  readonly text: string
}

/** Seals a frame. */
export function seal(key: string, kind: Kind, seed: Buffer, { counter, sentAt, text }: Content, nonce: Buffer): string {
  const numbers = Buffer.concat([u64(counter), u64(sentAt)])
  const hash = createHash('sha256').update(text, 'utf8').digest()
  const signature = sign(null, Buffer.concat([additionalData(kind), numbers, nonce, hash]), pairOf(seed).privateKey)
  return box(messageKey(key, kind.room, kind.author), nonce, additionalData(kind), Buffer.concat([numbers, signature, Buffer.from(text, 'utf8')])).toString(
    'base64url',
  )
}

/** Opens a frame; throws when it is not one of this author and kind. */
export function open(key: string, kind: Kind, publicKey: Buffer, wire: string): Content {
  const sealed = Buffer.from(wire, 'base64url')
  const nonce = sealed.subarray(0, 12)
  const decipher = createDecipheriv('aes-256-gcm', messageKey(key, kind.room, kind.author), nonce)
  decipher.setAAD(additionalData(kind))
  decipher.setAuthTag(sealed.subarray(-16))
  const plaintext = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()])
  const [numbers, signature, text] = [plaintext.subarray(0, 16), plaintext.subarray(16, 80), plaintext.subarray(80)]
  const signed = Buffer.concat([additionalData(kind), numbers, nonce, createHash('sha256').update(text).digest()])
  const verifyKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') }, format: 'jwk' })
  if (memberId(kind.room, publicKey) !== kind.author || !verify(null, signed, verifyKey, signature)) throw new Error('signature')
  return { counter: Number(numbers.readBigUInt64BE(0)), sentAt: Number(numbers.readBigUInt64BE(8)), text: text.toString('utf8') }
}

function box(key: Buffer, nonce: Buffer, additional: Buffer, plaintext: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(additional)
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}
