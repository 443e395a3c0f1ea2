import { createHash, createPublicKey, verify } from 'node:crypto'
import { ROOM_MEMBER_LABEL, roomProof } from '@deputy/contract/room-wire'

/** The member id of a public key in a room. */
export const memberOf = (room: string, publicKey: string): string =>
  createHash('sha256').update(ROOM_MEMBER_LABEL).update(room).update(Buffer.from(publicKey, 'base64url')).digest('base64url').slice(0, 22)

/** What a member shows to take a seat. */
export interface SeatProof {
  readonly room: string
  readonly member: string
  readonly publicKey: string
  readonly signature: string
}

/** Whether the member id is that of the key, and who joins holds the key on the socket of this challenge. */
export function proves({ room, member, publicKey, signature }: SeatProof, challenge: string): boolean {
  if (memberOf(room, publicKey) !== member) return false
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' })
    return verify(null, Buffer.from(roomProof(challenge, room, member)), key, Buffer.from(signature, 'base64url'))
  } catch {
    // Not a point of the curve.
    return false
  }
}

/** SHA-256 of base64url bytes, as base64url: what is kept of a verifier or a token. */
export const hashOf = (value: string): string => createHash('sha256').update(Buffer.from(value, 'base64url')).digest('base64url')

/** What a room keeps of a device's secret; the same device is another one in another room. */
export const deviceIn = (key: string, device: string): string => createHash('sha256').update(key).update('\n').update(device).digest('base64url')
