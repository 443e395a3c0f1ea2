import { joinedBytes } from './joined-bytes.ts'
import type { Envelope } from './room-envelope.ts'

/** The most a payload may hold unless a receiver says less. */
export const PAYLOAD_MAX_BYTES = 64 * 2 ** 20
/** Bytes that may be on their way to the one member a payload is for: sealed, less than a room keeps for a member that comes back (512 KiB). */
export const PAYLOAD_WINDOW = 200_000

/**
 * Why a payload did not arrive: too large, not wanted by the receiver or not answered by it, given up on the other side, its member left, the
 * room ended, nothing came for a minute, or what came was not what was offered.
 */
export type PayloadErrorCode = 'too-large' | 'refused' | 'unanswered' | 'aborted' | 'gone' | 'closed' | 'stalled' | 'broken'

/** A payload that was not carried to its end. Branch on `code`. */
export class PayloadError extends Error {
  override readonly name = 'PayloadError'
  readonly code: PayloadErrorCode
  constructor(code: PayloadErrorCode) {
    super(`deputy: the payload ended: ${code}`)
    this.code = code
  }
}

/** How much of a payload is carried, in bytes. */
export interface PayloadProgress {
  readonly loaded: number
  readonly total: number
}

/** Characters that a part takes beside its bytes, at most. */
const AROUND = 160

/** How many bytes fit into one part where a member's messages may take so many characters on the wire; 0 where none do. */
export function partBytes(maxMessageBytes: number): number {
  const text = Math.floor((maxMessageBytes * 3) / 4) - 108
  return Math.max(0, Math.floor((text - AROUND) / 4) * 3)
}

/** The digest of nothing; each part's bytes are digested together with the digest before them. */
export const START: Uint8Array<ArrayBuffer> = new Uint8Array(32)

/** The digest after one more part. */
export async function digestAfter(before: Uint8Array<ArrayBuffer>, part: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', joinedBytes([before, part])))
}

/** Bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  let text = ''
  // As many arguments as a call may safely have.
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(text)
}

/** The bytes of base64, or null where it is none. */
export function fromBase64(text: unknown): Uint8Array<ArrayBuffer> | null {
  if (typeof text !== 'string') return null
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0))
  } catch {
    return null
  }
}

/** Tells the other side that a payload ends here. */
export const stopWords = (id: string, to: string | null, why: 'aborted' | 'refused' | 'broken'): Envelope => ({ kind: 'stop', id, to, why })
