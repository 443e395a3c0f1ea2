import { decode, encode } from './base64url.ts'
import type { Bytes } from './bytes.ts'
import { SealError } from './error.ts'
import { openFrame, sealFrame, type FrameKind, type RoomFrame } from './room-frame.ts'
import { deriveRoom } from './room-key.ts'
import { openCredential, sealCredential, seatKey, type RoomMemberKey } from './room-member.ts'

/** A seat in a room: what its holder says is signed by it. */
export interface RoomSeat {
  /** The member id, which certifies itself. */
  readonly id: string
  readonly publicKey: string
  /** Makes the same seat again with `takeSeat`; as secret as the seat. */
  readonly seed: string
  /** Tells the other holders of the room key who this is. */
  readonly credential: string
  /** Signs what the server asks to be signed. */
  prove(text: string): Promise<string>
  /** Seals a message; its counter is one above the last message's. */
  seal(text: string, counter: number): Promise<string>
  /** Seals the text that replaces a message's. */
  sealEdit(text: string, target: { readonly from: string; readonly counter: number; readonly revision: number }): Promise<string>
}

/** A room as the holders of its key see it. */
export interface SealedRoom {
  /** Proves to the server that the key is held; the server keeps a hash of it. */
  readonly verifier: string
  /** A new seat, or the one of this seed. @throws {SealError} `invalid-key` when the seed is none. */
  takeSeat(seed?: string): Promise<RoomSeat>
  /** The member a credential proves. @throws {SealError} `integrity` */
  openCredential(id: string, credential: string): Promise<RoomMemberKey>
  /** Opens what `author` sealed. @throws {SealError} `integrity` */
  open(author: RoomMemberKey, kind: FrameKind, sealed: string): Promise<RoomFrame>
}

/** Members whose keys are kept derived. */
const DERIVED = 512

/**
 * Opens the sealing of a room.
 * @throws {SealError} `invalid-key`, `invalid-room`
 */
export async function openSealedRoom(key: string, id: string): Promise<SealedRoom> {
  const derived = await deriveRoom(key, id)
  const messageKeys = new Map<string, Promise<CryptoKey>>()
  const keys = {
    ...derived,
    messageKey: (member: string): Promise<CryptoKey> => {
      const kept = messageKeys.get(member) ?? derived.messageKey(member)
      messageKeys.delete(member)
      messageKeys.set(member, kept)
      const oldest = messageKeys.size > DERIVED ? messageKeys.keys().next().value : undefined
      if (oldest !== undefined) messageKeys.delete(oldest)
      return kept
    },
  }
  return {
    verifier: derived.verifier,
    takeSeat: async text => {
      const seed = text === undefined ? random(32) : decode(text)
      if (seed === undefined) throw new SealError('invalid-key')
      const seat = await seatKey(derived.room, seed)
      return {
        id: seat.id,
        publicKey: encode(seat.publicKey),
        seed: encode(seed),
        credential: await sealCredential(keys, seat, Date.now(), random(12)),
        prove: async proof => encode(new Uint8Array(await crypto.subtle.sign('Ed25519', seat.signKey, new TextEncoder().encode(proof)))),
        seal: (text, counter) => sealFrame(keys, seat, { kind: 'send' }, { text, counter, sentAt: Date.now() }, random(12)),
        sealEdit: (text, { from, counter, revision }) =>
          sealFrame(keys, seat, { kind: 'edit', from, revision }, { text, counter, sentAt: Date.now() }, random(12)),
      }
    },
    openCredential: (member, credential) => openCredential(keys, member, credential),
    open: (author, kind, sealed) => openFrame(keys, author, kind, sealed),
  }
}

function random(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length))
}
