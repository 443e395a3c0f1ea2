import type { FrameType, Stream, StreamEars, StreamEnd } from '@deputy/tunnel'
import { bytesOf, type Bytes } from './bytes.ts'

/** A stream whose opening was answered, or why it was not. */
export type Answer = { readonly payload: Uint8Array<ArrayBuffer>; readonly bytes: Bytes } | { readonly end: StreamEnd }

/**
 * Waits for the frame that answers the opening of a stream. Its bytes are taken from the first moment on, since they may come
 * with the answer in one message.
 */
export function answered(
  stream: Stream,
  type: FrameType,
  signal?: AbortSignal | null,
  later: Pick<StreamEars, 'frame' | 'reset' | 'end'> = {},
): Promise<Answer> {
  return new Promise(resolve => {
    let isAnswered = false
    const answer = (value: Answer): void => {
      isAnswered = true
      signal?.removeEventListener('abort', giveUp)
      resolve(value)
    }
    const giveUp = (): void => {
      const end = { code: 'ECANCELED' }
      stream.reset(end)
      answer({ end })
    }
    const bytes = bytesOf(stream, {
      ...later,
      frame: (kind, payload) => {
        if (isAnswered) later.frame?.(kind, payload)
        else if (kind === type) answer({ payload, bytes })
      },
      reset: end => {
        if (isAnswered) later.reset?.(end)
        else answer({ end })
      },
    })
    if (signal?.aborted === true) giveUp()
    else signal?.addEventListener('abort', giveUp, { once: true })
  })
}
