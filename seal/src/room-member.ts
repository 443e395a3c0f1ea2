import { decode, encode } from './base64url.ts'
import { concat, type Bytes } from './bytes.ts'
import { SealError } from './error.ts'
import { ROOM_LABEL, type RoomKeys } from './room-key.ts'

/** Characters of a member id. */
export const MEMBER_ID_LENGTH = 22
const NONCE = 12
const CREDENTIAL = NONCE + 32 + 8 + 16

const utf8 = new TextEncoder()
const pkcs8Header = Uint8Array.from([0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20])

/** A member as its credential proves it: the id is a hash of the key, so nobody else can speak under it. */
export interface RoomMemberKey {
  readonly id: string
  readonly verifyKey: CryptoKey
  /** When the member says it took its seat, in epoch ms. */
  readonly since: number
}

/** The key pair of one seat. */
export interface SeatKey {
  readonly id: string
  readonly publicKey: Bytes
  readonly signKey: CryptoKey
}

/** The id a public key has in a room: the first 22 characters of base64url(SHA-256(label || room id || public key)). */
export async function memberId(room: Bytes, publicKey: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', concat(utf8.encode(`${ROOM_LABEL}/member`), room, publicKey))
  return encode(new Uint8Array(hash)).slice(0, MEMBER_ID_LENGTH)
}

/** The key pair that follows from a seed of 32 bytes. */
export async function seatKey(room: Bytes, seed: Uint8Array): Promise<SeatKey> {
  if (seed.length !== 32) throw new SealError('invalid-key')
  // Only its private form can be imported, and only an extractable key tells the public one.
  const told = await crypto.subtle.importKey('pkcs8', concat(pkcs8Header, seed), 'Ed25519', true, ['sign'])
  const publicKey = decode((await crypto.subtle.exportKey('jwk', told)).x)
  const signKey = await crypto.subtle.importKey('pkcs8', concat(pkcs8Header, seed), 'Ed25519', false, ['sign'])
  if (publicKey === undefined) throw new SealError('invalid-key')
  return { id: await memberId(room, publicKey), publicKey, signKey }
}

/** The credential of a member, sealed for the holders of the room key. */
export async function sealCredential(keys: RoomKeys, { id, publicKey }: SeatKey, since: number, nonce: Bytes): Promise<string> {
  const time = new Uint8Array(8)
  new DataView(time.buffer).setBigUint64(0, BigInt(since))
  const parameters = { name: 'AES-GCM', iv: nonce, additionalData: binding(keys.room, id) }
  return encode(concat(nonce, new Uint8Array(await crypto.subtle.encrypt(parameters, keys.members, concat(publicKey, time)))))
}

/** The member a credential proves. @throws {SealError} `integrity` unless a holder of the room key made it for this id. */
export async function openCredential(keys: RoomKeys, id: string, credential: string): Promise<RoomMemberKey> {
  const sealed = decode(credential)
  if (sealed?.length !== CREDENTIAL) throw new SealError('integrity')
  try {
    const parameters = { name: 'AES-GCM', iv: sealed.subarray(0, NONCE), additionalData: binding(keys.room, id) }
    const opened = new Uint8Array(await crypto.subtle.decrypt(parameters, keys.members, sealed.subarray(NONCE)))
    const publicKey = opened.slice(0, 32)
    if ((await memberId(keys.room, publicKey)) !== id) throw new SealError('integrity')
    const verifyKey = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify'])
    return { id, verifyKey, since: Number(new DataView(opened.buffer).getBigUint64(32)) }
  } catch {
    throw new SealError('integrity')
  }
}

function binding(room: Bytes, id: string): Bytes {
  return concat(utf8.encode(`${ROOM_LABEL}/members`), room, utf8.encode(id))
}
