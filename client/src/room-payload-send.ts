import { envelopeOf, type Json } from './room-envelope.ts'
import { onEnd, watch } from './room-listeners.ts'
import { sayPaced, sendPaced } from './room-pace.ts'
import {
  digestAfter,
  PAYLOAD_MAX_BYTES,
  PAYLOAD_WINDOW,
  PayloadError,
  type PayloadErrorCode,
  type PayloadProgress,
  partBytes,
  START,
  stopWords,
  toBase64,
} from './room-payload-wire.ts'
import type { Room } from './rooms.ts'

/** How a payload is sent. */
export interface SendPayloadOptions {
  /** The one member it is for, which must be receiving; without it everybody who receives is meant, and nobody's word is waited for. */
  readonly to?: string
  /** At most 200 characters of each reach the other side, as a hint. */
  readonly name?: string
  readonly type?: string
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: (progress: PayloadProgress) => void
}

/** What payloads need of a room. */
export type PayloadRoom = Pick<Room, 'on' | 'send' | 'members' | 'closed' | 'self'>

/** Milliseconds a receiver may take to say that it takes a payload, has more of it or all of it: longer than a seat is held for one that lost its connection. */
const PATIENCE = 60_000

/**
 * Sends bytes as messages of the room, in parts that fit and at a pace the room allows (near 0.5 MB a second): everybody in the room gets all of
 * them, and a mailbox keeps them. Resolves when the last part is sent; with `to`, when that member has all and its digest is right.
 * @throws {PayloadError} @throws {RoomsError} as `send` does; the signal's reason.
 */
export async function sendPayload(room: PayloadRoom, data: Blob | Uint8Array<ArrayBuffer> | ArrayBuffer, options: SendPayloadOptions = {}): Promise<void> {
  const { to, signal, onProgress } = options
  signal?.throwIfAborted()
  const blob = data instanceof Blob ? data : new Blob([data])
  const total = blob.size
  if (total > PAYLOAD_MAX_BYTES) throw new PayloadError('too-large')
  const id = crypto.randomUUID()
  const over = new AbortController()
  // What the receiver said: that it takes the payload, how much of it has come, that it is whole.
  const words = new Set<Json>()
  let taken = 0
  let heard = (): void => {}
  const fail = (error: unknown): void => {
    over.abort(error)
    heard()
  }
  const end = (code: PayloadErrorCode): void => fail(new PayloadError(code))
  const abort = (): void => fail(signal?.reason)
  const off = await watch(room, event => {
    if (event.type === 'left' && event.id === to) return end('gone')
    const { from, envelope } = envelopeOf(event) ?? {}
    if (envelope === undefined || from !== to || envelope['id'] !== id || envelope['to'] !== room.self.id) return
    const { kind, why } = envelope
    if (kind === 'stop') end(why === 'refused' || why === 'broken' ? why : 'aborted')
    if (kind === 'take' || kind === 'kept') words.add(kind)
    if (kind === 'more' && typeof envelope['loaded'] === 'number') taken = Math.max(taken, envelope['loaded'])
    heard()
  })
  const forget = onEnd(room, () => end('closed'))
  signal?.addEventListener('abort', abort)
  const until = async (holds: () => boolean): Promise<void> => {
    const timer = setTimeout(() => end('unanswered'), PATIENCE)
    try {
      while (!holds()) {
        over.signal.throwIfAborted()
        await new Promise<void>(resolve => (heard = resolve))
      }
    } finally {
      clearTimeout(timer)
    }
  }
  const say = (envelope: Parameters<typeof sendPaced>[1]): Promise<void> => sendPaced(room, envelope, { signal: over.signal })
  let isOffered = false
  try {
    if (to !== undefined && !(await room.members()).some(member => member.id === to)) throw new PayloadError('gone')
    isOffered = true
    await say({ kind: 'offer', id, to: to ?? null, size: total, name: (options.name ?? '').slice(0, 200), type: (options.type ?? blob.type).slice(0, 200) })
    if (to !== undefined) await until(() => words.has('take'))
    let digest = START
    let loaded = 0
    for (let n = 0; loaded < total; n += 1) {
      const size = partBytes(room.self.maxMessageBytes)
      if (size === 0) throw new PayloadError('too-large')
      // What a receiver without a connection misses must still be there when it comes back.
      if (to !== undefined) await until(() => loaded <= taken || loaded + size - taken <= PAYLOAD_WINDOW)
      const bytes = new Uint8Array(await blob.slice(loaded, loaded + size).arrayBuffer())
      await say({ kind: 'part', id, n, bytes: toBase64(bytes) })
      digest = await digestAfter(digest, bytes)
      loaded += bytes.length
      onProgress?.({ loaded, total })
    }
    await say({ kind: 'end', id, digest: toBase64(digest) })
    if (to !== undefined) await until(() => words.has('kept'))
  } catch (error) {
    // What was cut short leaves nobody waiting for the rest, unless they said so themselves or are gone.
    const mustTell = isOffered && !(error instanceof PayloadError && ['refused', 'broken', 'gone', 'closed'].includes(error.code))
    if (mustTell) sayPaced(room, stopWords(id, to ?? null, 'aborted'))
    throw error
  } finally {
    off()
    forget()
    signal?.removeEventListener('abort', abort)
  }
}
