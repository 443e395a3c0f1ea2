import { decode, encode } from './base64url.ts'
import { concat, type Bytes } from './bytes.ts'
import { SealError } from './error.ts'
import { ROOM_LABEL, type RoomKeys } from './room-key.ts'
import type { RoomMemberKey, SeatKey } from './room-member.ts'

/** Bytes a sealed frame is longer than its text: nonce, counter, time, signature and tag. */
export const FRAME_OVERHEAD = 108
const NONCE = 12
const HEAD = 8 + 8 + 64

const utf8 = new TextEncoder()
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** What a frame is: a message, or the text that replaces the one of `from` with the same counter, for the `revision`th time. */
export type FrameKind = { readonly kind: 'send' } | { readonly kind: 'edit'; readonly from: string; readonly revision: number }

/** A frame as its author made it. */
export interface RoomFrame {
  /** Number of the message among those its sender sent from this seat, from 1; an edit carries the one of the message it replaces. */
  readonly counter: number
  /** The author's own word on when, in epoch ms. */
  readonly sentAt: number
  readonly text: string
}

/** Characters a text takes on the wire, which is what `maxMessageBytes` measures. */
export const sealedTextLength = (text: string): number => Math.ceil(((FRAME_OVERHEAD + utf8.encode(text).length) * 4) / 3)

/** Seals a frame. The caller answers for never passing one nonce twice. */
export async function sealFrame(keys: RoomKeys, seat: SeatKey, kind: FrameKind, frame: RoomFrame, nonce: Bytes): Promise<string> {
  const text = utf8.encode(frame.text)
  const numbers = u64s(frame.counter, frame.sentAt)
  const additionalData = bindingOf(keys.room, seat.id, kind)
  const signature = await crypto.subtle.sign('Ed25519', seat.signKey, await signed(additionalData, numbers, nonce, text))
  const plaintext = concat(numbers, new Uint8Array(signature), text)
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce, additionalData }, await keys.messageKey(seat.id), plaintext)
  return encode(concat(nonce, new Uint8Array(sealed)))
}

/**
 * Opens a frame as one of this author and kind.
 * @throws {SealError} `integrity` unless this author made it in this room, as this kind, and nobody changed a bit.
 */
export async function openFrame(keys: RoomKeys, author: RoomMemberKey, kind: FrameKind, wire: string): Promise<RoomFrame> {
  const sealed = decode(wire)
  if (sealed === undefined || sealed.length < FRAME_OVERHEAD) throw new SealError('integrity')
  try {
    const nonce = sealed.subarray(0, NONCE)
    const additionalData = bindingOf(keys.room, author.id, kind)
    const key = await keys.messageKey(author.id)
    const plaintext = new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv: nonce, additionalData }, key, sealed.subarray(NONCE)))
    const [numbers, signature, text] = [plaintext.slice(0, 16), plaintext.slice(16, HEAD), plaintext.subarray(HEAD)]
    const valid = await crypto.subtle.verify('Ed25519', author.verifyKey, signature, await signed(additionalData, numbers, nonce, text))
    if (!valid) throw new SealError('integrity')
    const view = new DataView(numbers.buffer)
    return { counter: safe(view.getBigUint64(0)), sentAt: safe(view.getBigUint64(8)), text: strict.decode(text) }
  } catch {
    throw new SealError('integrity')
  }
}

function bindingOf(room: Bytes, author: string, kind: FrameKind): Bytes {
  const length = Uint8Array.of(room.length >> 8, room.length & 255)
  const head = concat(utf8.encode(`${ROOM_LABEL}/message`), length, room, utf8.encode(author))
  if (kind.kind === 'send') return concat(head, Uint8Array.of(0))
  return concat(head, Uint8Array.of(1), utf8.encode(kind.from), u64s(kind.revision))
}

async function signed(binding: Bytes, numbers: Bytes, nonce: Bytes, text: Bytes): Promise<Bytes> {
  return concat(binding, numbers, nonce, new Uint8Array(await crypto.subtle.digest('SHA-256', text)))
}

function u64s(...values: readonly number[]): Bytes {
  const bytes = new Uint8Array(8 * values.length)
  const view = new DataView(bytes.buffer)
  for (const [at, value] of values.entries()) view.setBigUint64(8 * at, BigInt(value))
  return bytes
}

function safe(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new SealError('integrity')
  return Number(value)
}
