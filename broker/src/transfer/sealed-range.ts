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

/** How a request is sent; `fetch` unless more must go with it than the range. */
export type SendFetch = (url: string, options: Omit<RequestInit, 'headers'> & { readonly headers: Readonly<Record<string, string>> }) => Promise<Response>

/** Fetches of the sealed bytes at one url. */
export interface SealedSource {
  readonly fetchRange: FetchRange
  /** Says that what is read from `start` will go on to `end`: one request then serves all the ranges in between. */
  expect(start: number, end: number): void
}

/** One response read in order, for as many ranges as lie in it one after the other. */
interface Flow {
  /** Where the next range must begin to be served by this flow, and where the flow ends. */
  next: number
  readonly end: number
  /** Settles once the range before is read. */
  before: Promise<void>
  /** Reads up to so many bytes; the answer lives until the next read. */
  read(most: number): Promise<Uint8Array | undefined>
  cancel(): void
}

/**
 * The sealed bytes at the url. Ranges that follow one another under one signal come out of one response, since a request for each
 * would more than halve the speed. A connection that breaks on the way is taken up again where it broke.
 */
export function sealedSource(url: string, send: SendFetch = (address, options) => fetch(address, options)): SealedSource {
  const ends = new Map<number, number>()
  const flows = new WeakMap<AbortSignal, Flow>()
  return {
    expect: (start, end) => void ends.set(start, end),
    fetchRange: async (start, end, signal) => {
      const known = flows.get(signal)
      const flow =
        known !== undefined && known.next === start && end <= known.end
          ? known
          : await openFlow({ url, send }, start, Math.max(end, ends.get(start) ?? 0), signal)
      ends.delete(start)
      flows.set(signal, flow)
      flow.next = end
      const { before } = flow
      const { promise, resolve } = Promise.withResolvers<void>()
      flow.before = promise
      return rangeOf(flow, end - start, before, resolve)
    },
  }
}

// A byte stream, because its reader takes records out of it twice as quickly as out of one of chunks.
function rangeOf(flow: Flow, length: number, before: Promise<void>, done: () => void): ReadableStream<Uint8Array> {
  let left = length
  return new ReadableStream({
    type: 'bytes',
    autoAllocateChunkSize: scratchBytes,
    pull: async controller => {
      await before
      const request = controller.byobRequest
      const view = request?.view
      if (request === null || view === null || view === undefined) return
      const bytes = left === 0 ? undefined : await flow.read(Math.min(left, view.byteLength))
      if (bytes === undefined) {
        done()
        controller.close()
        return request.respond(0)
      }
      left -= bytes.length
      new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(bytes)
      request.respond(bytes.length)
    },
    cancel: () => {
      flow.cancel()
      done()
    },
  })
}

interface Address {
  readonly url: string
  readonly send: SendFetch
}

async function openFlow({ url, send }: Address, start: number, end: number, signal: AbortSignal): Promise<Flow> {
  let at = start
  let breaks = 0
  let scratch = new ArrayBuffer(scratchBytes)
  const open = async (): Promise<ReadableStreamBYOBReader> => {
    const answer = await patiently(signal, () => send(url, { ...init, headers: { range: `bytes=${at}-${end - 1}` }, signal }))
    if (answer.status !== 206 || answer.body === null) throw new SealedFetchError('unavailable')
    return answer.body.getReader({ mode: 'byob' })
  }
  let reader = await open()
  return {
    next: start,
    end,
    before: Promise.resolve(),
    cancel: () => void reader.cancel().catch(() => undefined),
    read: async most => {
      for (;;) {
        try {
          const { done, value } = await reader.read(new Uint8Array(scratch, 0, Math.min(most, scratch.byteLength)))
          if (value !== undefined) scratch = value.buffer
          if (done) return undefined
          at += value.length
          breaks = 0
          return value
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
