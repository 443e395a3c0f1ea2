import type { FrameType, Stream, StreamEars, StreamEnd } from '@deputy/tunnel'
import { bytesOf, type Bytes, type Tally } from './bytes.ts'

/** A stream whose opening was answered, or why it was not. */
export type Answer = { readonly payload: Uint8Array<ArrayBuffer>; readonly bytes: Bytes } | { readonly end: StreamEnd }

/** Who goes on hearing the stream, who gives up waiting, and who counts. */
export interface AnsweredOptions {
  readonly signal?: AbortSignal | null | undefined
  readonly later?: Pick<StreamEars, 'frame' | 'reset' | 'end'>
  readonly tally?: Tally
}

/**
 * Waits for the frame that answers the opening of a stream. Its bytes are taken from the first moment on, since they may come
 * with the answer in one message. Once the signal fires the stream is cut, also after its answer.
 */
export function answered(stream: Stream, type: FrameType, { signal, later = {}, tally }: AnsweredOptions = {}): Promise<Answer> {
  return new Promise(resolve => {
    let isAnswered = false
    const answer = (value: Answer): void => {
      isAnswered = true
      resolve(value)
    }
    const giveUp = (): void => stream.cut({ code: 'ECANCELED' })
    const bytes = bytesOf(
      stream,
      {
        ...later,
        frame: (kind, payload) => {
          if (isAnswered) later.frame?.(kind, payload)
          else if (kind === type) answer({ payload, bytes })
        },
        reset: end => {
          if (isAnswered) later.reset?.(end)
          else answer({ end })
        },
      },
      tally,
    )
    if (signal?.aborted === true) return giveUp()
    signal?.addEventListener('abort', giveUp, { once: true })
    stream.whenOver(() => signal?.removeEventListener('abort', giveUp))
  })
}
