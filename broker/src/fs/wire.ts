import { apiError } from '@deputy/contract/api'
import { fileContentPath, fileHeaders, fileMeta, written } from '@deputy/contract/api-files'
import type { Received } from '@deputy/contract/shape'
import { fits, parse } from '@deputy/contract/validate'
import { wait, type Outcome } from '../api/api.ts'
import type { Actor } from './acting.ts'
import { refusal, refusalBy } from './refused.ts'

/** What a write answers. */
export type Written = Received<typeof written>
/** What must be there for a write to happen: a version, nothing, or anything. */
export type Base = number | 'none' | 'any'

const pauses = [300, 1000, 3000]
const putMs = 120_000
const headMs = 30_000
// The service has nothing of this kept. A request that says so itself, by `no-store`, Chromium asks leave for each time anew.
const init = { credentials: 'omit', referrerPolicy: 'no-referrer', redirect: 'error' } as const

/** A put that was not answered the first time: whether it came through is then not known from a refusal. */
export class Unsure extends Error {
  readonly refusal: Error
  constructor(reason: Error) {
    super('the put may have come through')
    this.refusal = reason
  }
}

/** Puts a file by one request, sent again with the same bytes while nobody answers. @throws {RemoteError}, and `Unsure` for a refusal after a lost answer */
export async function putFile(
  actor: Actor,
  file: { readonly name: string; readonly meta: string; readonly epoch: number; readonly base: Base; readonly bytes: Uint8Array<ArrayBuffer> },
): Promise<Written> {
  const { name, meta, epoch, base } = fileHeaders
  const headers = { [name]: file.name, [meta]: file.meta, [epoch]: String(file.epoch), [base]: String(file.base) }
  let lost = false
  const answer = await patiently(actor, token =>
    fetch(actor.api + fileContentPath, {
      ...init,
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/octet-stream', authorization: `Bearer ${token}` },
      body: file.bytes,
      signal: AbortSignal.timeout(putMs),
    }).catch(error => {
      lost = true
      throw error
    }),
  )
  if (answer.ok) return parse(written, await answer.json())
  const refused = await refusalIn(actor, answer)
  throw lost ? new Unsure(refused) : refused
}

/** A file's row as a download tells it, with a run of its sealed bytes. */
export interface Download {
  readonly meta: string
  readonly epoch: number
  readonly version: number
  readonly updatedAt: number
  /** Sealed bytes of the whole file. */
  readonly length: number
  /** All bytes of the run. @throws what the network failed with */
  bytes(): Promise<Uint8Array<ArrayBuffer>>
  /** Lets go of a run that nobody took. */
  cancel(): void
}

/** Fetches sealed bytes `start` to `end` (exclusive), or as many of them as there are. @throws {RemoteError} */
export async function getFile(actor: Actor, name: string, start: number, end: number, signal?: AbortSignal): Promise<Download> {
  const answer = await patiently(actor, async token => {
    // The time is for the answer to begin, not for the bytes to come.
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), headMs)
    const headers = { authorization: `Bearer ${token}`, [fileHeaders.name]: name, range: `bytes=${start}-${end - 1}` }
    const both = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal])
    try {
      // Gets of one address would wait for one another in the browser's cache.
      return await fetch(actor.api + fileContentPath, { ...init, method: 'POST', headers, signal: both })
    } finally {
      clearTimeout(timer)
    }
  })
  if (!answer.ok) throw await refusalIn(actor, answer)
  const cancel = (): void => {
    if (!answer.bodyUsed) answer.body?.cancel().catch(() => undefined)
  }
  const number = (header: string): number => Number(answer.headers.get(header) ?? Number.NaN)
  const meta = answer.headers.get(fileHeaders.meta)
  const range = /^bytes \d+-\d+\/(\d+)$/.exec(answer.headers.get('content-range') ?? '')
  const told = {
    epoch: number(fileHeaders.epoch),
    version: number(fileHeaders.version),
    updatedAt: number(fileHeaders.updatedAt),
    length: Number(range?.[1] ?? Number.NaN),
  }
  if (!fits(fileMeta, meta) || !Object.values(told).every(value => Number.isSafeInteger(value) && value >= 0)) {
    cancel()
    throw refusal('unavailable')
  }
  return { ...told, meta: meta as string, bytes: () => answer.bytes(), cancel }
}

// The answer to a request that may be sent again while nobody answers or the service is in trouble.
async function patiently(actor: Actor, send: (token: string) => Promise<Response>): Promise<Response> {
  let refused: string | null = null
  for (let again = 0; ;) {
    const token = await actor.token()
    // A token refused once is over; one that was renewed meanwhile is tried.
    if (token === null || token === refused) throw refusal(actor.over)
    const answer = await send(token).catch(() => null)
    if (answer?.status === 401) {
      refused = token
      continue
    }
    const passing = answer === null || answer.status === 408 || answer.status === 429 || answer.status >= 500
    if (!passing) return answer
    const pause = pauses[again++]
    if (pause === undefined) throw refusal('unavailable')
    await answer?.body?.cancel().catch(() => undefined)
    await wait(pause)
  }
}

async function refusalIn(actor: Actor, answer: Response): Promise<Error> {
  const value: unknown = await answer.json().catch(() => null)
  if (!fits(apiError, value)) return refusal('unavailable')
  const { error, message } = value as Received<typeof apiError>
  const outcome: Exclude<Outcome<never>, { kind: 'answer' }> = { kind: 'refused', error, message }
  return refusalBy(outcome, actor.over)
}
