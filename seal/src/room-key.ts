import { decode, encode } from './base64url.ts'
import type { Bytes } from './bytes.ts'
import { SealError } from './error.ts'
import { mintObjectKey } from './object-key.ts'

const utf8 = new TextEncoder()

/** What every derivation of a room begins with. */
export const ROOM_LABEL = 'deputy/room/v1'

/** A fresh random room key: 32 bytes as 43 characters of unpadded base64url. */
export const mintRoomKey = mintObjectKey

/** What the holders of a room key share. */
export interface RoomKeys {
  /** The room's id as bytes. */
  readonly room: Bytes
  /** Proves to the server that the key is held, without telling it. */
  readonly verifier: string
  /** Seals the credentials of the members. */
  readonly members: CryptoKey
  /** The AES-GCM key of one sender's frames. */
  messageKey(member: string): Promise<CryptoKey>
}

/**
 * Derives what the holders of the key share in the room of this id.
 * @throws {SealError} `invalid-key`, `invalid-room`
 */
export async function deriveRoom(key: string, id: string): Promise<RoomKeys> {
  const bytes = decode(key)
  if (bytes?.length !== 32) throw new SealError('invalid-key')
  const room = roomBytes(id)
  const material = await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey', 'deriveBits'])
  bytes.fill(0)
  const derivation = (salt: Bytes, info: string): HkdfParams => ({ name: 'HKDF', hash: 'SHA-256', salt, info: utf8.encode(info) })
  const sealing = (salt: Bytes, info: string): Promise<CryptoKey> =>
    crypto.subtle.deriveKey(derivation(salt, info), material, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
  const [verifier, members] = await Promise.all([
    crypto.subtle.deriveBits(derivation(room, `${ROOM_LABEL}/join`), material, 256),
    sealing(room, `${ROOM_LABEL}/members`),
  ])
  return {
    room,
    verifier: encode(new Uint8Array(verifier)),
    members,
    messageKey: member => sealing(utf8.encode(member), `${ROOM_LABEL}/message${id}`),
  }
}

/** The bytes of a room id. @throws {SealError} `invalid-room` */
export function roomBytes(id: string): Bytes {
  if (typeof id !== 'string' || !/^[\x21-\x7e]{3,400}$/.test(id)) throw new SealError('invalid-room')
  return utf8.encode(id)
}
