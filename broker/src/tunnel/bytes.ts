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

/** A buffer of its own, so that it can be moved on; a message that held nothing else is moved as it is. */
const owned = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => (bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice())

/**
 * Bytes of a stream both ways. What is read grants the sender as much again, what is written waits while the stream is full; the other
 * frames go to `ears`. Once the stream is reset both sides fail with its code, after what had come before.
 */
export function bytesOf(stream: Stream, ears: Pick<StreamEars, 'frame' | 'reset' | 'end'> = {}, tally?: Tally): Bytes {
  let waiting: Uint8Array<ArrayBuffer>[] = []
  let ended = false
  let failure: RemoteError | undefined
  let unread = false
  let wake: (() => void) | undefined
  let drained: (() => void) | undefined
  let writer: WritableStreamDefaultController | undefined
  const stir = (): void => {
    wake?.()
    wake = undefined
    drained?.()
    drained = undefined
  }
  stream.hear({
    ...ears,
    data: bytes => {
      tally?.received(bytes.byteLength)
      // Nobody reads: what still comes is let through and dropped, so that the other half can go on.
      if (unread) return stream.consumed(bytes.byteLength)
      waiting.push(owned(bytes))
      wake?.()
      wake = undefined
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
          while (waiting.length === 0 && !ended && failure === undefined && !unread) await new Promise<void>(resolve => (wake = resolve))
          const chunks = waiting
          waiting = []
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
