import { ChannelError, RemoteError } from '@deputy/channel'
import type { Stream, StreamEars, StreamEnd } from '@deputy/tunnel'
import { refusedEnd } from './refused.ts'

/** A tunnel stream as byte streams. */
export interface Bytes {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>
  readonly writable: WritableStream<Uint8Array<ArrayBuffer>>
  /** All of it, where the other side has sent everything, at most so many bytes, and nobody reads yet; it is then read. */
  whole(most: number): Uint8Array<ArrayBuffer> | undefined
}

/** Counts what passes. */
export interface Tally {
  sent(bytes: number): void
  received(bytes: number): void
}

/** The error a byte stream ends with. */
export const lost = (why: StreamEnd): RemoteError => {
  const { error, message } = refusedEnd(why)
  return new RemoteError('Error', message, error)
}

/** Bytes that are worth a message of their own at once, those that are moved as they are, and the most one piece holds. */
const bulk = 16 * 1024
const wholeLeast = 64 * 1024
const pieceMost = 256 * 1024
const isWhole = ({ byteLength, buffer }: Uint8Array<ArrayBuffer>): boolean => byteLength === buffer.byteLength
const stays = (bytes: Uint8Array<ArrayBuffer>): boolean => bytes.byteLength >= wholeLeast && isWhole(bytes)

/** Chunks as pieces in buffers of their own, so that they can be moved on: few long ones, since moving costs by the piece. */
function pieces(chunks: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer>[] {
  const made: Uint8Array<ArrayBuffer>[] = []
  let from = 0
  while (from < chunks.length) {
    let size = 0
    let to = from
    for (let next = chunks[to]; next !== undefined && (to === from || (size + next.byteLength <= pieceMost && !stays(next))); next = chunks[to]) {
      size += next.byteLength
      to += 1
      if (stays(next)) break
    }
    const only = chunks[from]
    // Bytes in memory of their own are moved as they are.
    made.push(to === from + 1 && only !== undefined && isWhole(only) ? only : joined(chunks.slice(from, to)))
    from = to
  }
  return made
}

let turns: MessageChannel | undefined
const nextTurn: (() => void)[] = []
/** Runs after what has arrived by now was heard; unlike a timer not held back in a page that is not seen. */
function later(run: () => void): void {
  if (turns === undefined) {
    turns = new MessageChannel()
    turns.port1.onmessage = () => nextTurn.shift()?.()
    // Outside of a page, where such a port keeps its process running.
    ;(turns.port1 as { unref?(): void }).unref?.()
  }
  nextTurn.push(run)
  turns.port2.postMessage(0)
}

/**
 * Bytes of a stream both ways. What is read grants the sender as much again, what is written waits while the stream is full; the other
 * frames go to `ears`. Once the stream is reset both sides fail with its code, after what had come before.
 */
export function bytesOf(stream: Stream, ears: Pick<StreamEars, 'frame' | 'reset' | 'end'> = {}, tally?: Tally): Bytes {
  let waiting: Uint8Array<ArrayBuffer>[] = []
  let ended = false
  let failure: RemoteError | undefined
  let unread = false
  let held = 0
  let isRipe = false
  let wake: (() => void) | undefined
  let drained: (() => void) | undefined
  let writer: WritableStreamDefaultController | undefined
  const stir = (): void => {
    wake?.()
    wake = undefined
    drained?.()
    drained = undefined
  }
  const ripen = (): void => {
    isRipe = true
    wake?.()
    wake = undefined
  }
  stream.hear({
    ...ears,
    data: bytes => {
      tally?.received(bytes.byteLength)
      // Nobody reads: what still comes is let through and dropped, so that the other half can go on.
      if (unread) return stream.consumed(bytes.byteLength)
      waiting.push(bytes)
      held += bytes.byteLength
      // More of a long transfer may have arrived behind it; a keystroke is not kept waiting.
      if (bytes.byteLength < bulk || held >= pieceMost) ripen()
      else if (waiting.length === 1) later(ripen)
    },
    end: () => {
      ended = true
      ears.end?.()
      stir()
    },
    drain: stir,
    reset: why => {
      failure = lost(why)
      writer?.error(failure)
      ears.reset?.(why)
      stir()
    },
  })
  const reading = () =>
    new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: async controller => {
          while (!(isRipe && waiting.length > 0) && !ended && failure === undefined && !unread) await new Promise<void>(resolve => (wake = resolve))
          const chunks = pieces(waiting)
          waiting = []
          held = 0
          isRipe = false
          for (const chunk of chunks) {
            controller.enqueue(chunk)
            stream.consumed(chunk.byteLength)
          }
          if (chunks.length > 0) return
          if (failure !== undefined) throw failure
          if (ended) controller.close()
        },
        cancel: reason => {
          unread = true
          for (const chunk of waiting) stream.consumed(chunk.byteLength)
          waiting = []
          // Whoever opened it is gone, and nobody else will end it.
          if (reason instanceof ChannelError) stream.cut({ code: 'ECONNRESET' })
          stir()
        },
      },
      { highWaterMark: 0 },
    )
  const writing = () =>
    new WritableStream<Uint8Array<ArrayBuffer>>({
      start: controller => {
        writer = controller
        if (failure !== undefined) controller.error(failure)
      },
      write: async chunk => {
        if (failure !== undefined) throw failure
        if (stream.ended) throw new RemoteError('Error', 'cloud: this half of the connection was ended', 'EPIPE')
        const more = stream.write(chunk)
        tally?.sent(chunk.byteLength)
        if (!more && failure === undefined) await new Promise<void>(resolve => (drained = resolve))
      },
      close: () => stream.end(),
      abort: () => stream.cut({ code: 'ECONNRESET' }),
    })
  let readable: ReadableStream<Uint8Array<ArrayBuffer>> | undefined
  let writable: WritableStream<Uint8Array<ArrayBuffer>> | undefined
  return {
    // Made once they are wanted: most fetched bodies are there before anybody reads.
    get readable() {
      return (readable ??= reading())
    },
    get writable() {
      return (writable ??= writing())
    },
    whole: most => {
      const isThere = ended && failure === undefined && readable === undefined
      if (!isThere || waiting.reduce((sum, { byteLength }) => sum + byteLength, 0) > most) return undefined
      const chunks = waiting
      waiting = []
      return chunks.length === 1 ? chunks[0] : joined(chunks)
    },
  }
}

function joined(chunks: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}
