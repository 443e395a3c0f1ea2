import type { FetchRange } from '@deputy/seal'
import { wait } from '../api/api.ts'

/** Why sealed bytes cannot be had. */
export type FetchFailure = 'not-found' | 'unavailable'

/** Thrown by what fetches sealed bytes. */
export class SealedFetchError extends Error {
  override readonly name = 'SealedFetchError'
  readonly why: FetchFailure
  constructor(why: FetchFailure) {
    super(`the sealed bytes are ${why}`)
    this.why = why
  }
}

const headMs = 15_000
const scratchBytes = 2 ** 20
const pauses = [300, 1000, 3000]
const init = { credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store', redirect: 'error' } as const

/** Length of the sealed bytes at the url. @throws {SealedFetchError} */
export async function sealedLengthAt(url: string, signal: AbortSignal | undefined): Promise<number> {
  const answer = await patiently(signal, async () => {
    const deadline = AbortSignal.timeout(headMs)
    return fetch(url, { ...init, method: 'HEAD', signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]) })
  })
  const length = Number(answer.headers.get('content-length') ?? Number.NaN)
  if (!Number.isSafeInteger(length)) throw new SealedFetchError('unavailable')
  return length
}

/** Fetches ranges of the sealed bytes at the url. A connection that breaks on the way is taken up again where it broke. */
export const sealedRangeOf =
  (url: string): FetchRange =>
  async (start, end, signal) => {
    let at = start
    let breaks = 0
    const open = async (): Promise<ReadableStreamBYOBReader> => {
      const answer = await patiently(signal, () => fetch(url, { ...init, headers: { range: `bytes=${at}-${end - 1}` }, signal }))
      if (answer.status !== 206 || answer.body === null) throw new SealedFetchError('unavailable')
      return answer.body.getReader({ mode: 'byob' })
    }
    let reader = await open()

    // A byte stream, because its reader takes records out of it twice as quickly as out of one of chunks.
    let scratch = new ArrayBuffer(scratchBytes)
    return new ReadableStream({
      type: 'bytes',
      autoAllocateChunkSize: scratchBytes,
      pull: async controller => {
        for (;;) {
          try {
            const { done, value } = await reader.read(
              new Uint8Array(scratch, 0, Math.min(scratchBytes, controller.byobRequest?.view?.byteLength ?? scratchBytes)),
            )
            if (value !== undefined) scratch = value.buffer
            if (done) controller.close()
            return give(controller, value ?? new Uint8Array(0))
          } catch (error) {
            const pause = signal.aborted ? undefined : pauses[breaks++]
            if (pause === undefined) throw signal.aborted ? error : new SealedFetchError('unavailable')
            // The memory of a read that broke is lost with it.
            scratch = new ArrayBuffer(scratchBytes)
            await wait(pause, signal)
            reader = await open()
          }
        }
      },
      cancel: () => reader.cancel(),
    })

    function give(controller: ReadableByteStreamController, bytes: Uint8Array): void {
      at += bytes.length
      if (bytes.length > 0) breaks = 0
      const request = controller.byobRequest
      const view = request?.view
      if (request === null || view === null || view === undefined) return
      new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(bytes)
      request.respond(bytes.length)
    }
  }

/** The answer to a request that may be sent again while nobody is reached or the service is in trouble. */
async function patiently(signal: AbortSignal | undefined, send: () => Promise<Response>): Promise<Response> {
  for (const pause of [...pauses, undefined]) {
    const answer = await send().catch(() => null)
    signal?.throwIfAborted()
    if (answer?.ok) return answer
    await answer?.body?.cancel().catch(() => undefined)
    if (answer?.status === 404) throw new SealedFetchError('not-found')
    if (answer !== null && answer.status < 500 && answer.status !== 429) break
    if (pause !== undefined) await wait(pause, signal)
    signal?.throwIfAborted()
  }
  throw new SealedFetchError('unavailable')
}
