import { apiError, pathOf, type ApiErrorCode, type Route, type RouteAnswer, type RouteBody } from '@deputy/contract/api'
import { parse } from '@deputy/contract/validate'

/**
 * How a call of the HTTP API ended. Three ways of not getting an answer are told apart: the service refused it, the service
 * does not know the session, or nobody was reached (which says nothing about either).
 */
export type Outcome<T> =
  | { readonly kind: 'answer'; readonly value: T }
  | { readonly kind: 'refused'; readonly error: ApiErrorCode | (string & {}); readonly message: string }
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'unreachable' }

/** What a call carries beside its body. */
export interface CallOptions {
  readonly token?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until the whole call, retries included, ends `unreachable`; 10 s unless said. */
  readonly deadline?: number | undefined
  /** Whether the call may be sent again when nobody was reached; reads are, unless said. */
  readonly repeatable?: boolean | undefined
  /** Whether the call must outlive the page. */
  readonly keepalive?: boolean | undefined
}

/** Calls one route. Throws only when the body does not have the route's shape, which is a mistake of ours. */
export type Api = <R extends Route>(route: R, body: RouteBody<R>, options?: CallOptions) => Promise<Outcome<RouteAnswer<R>>>

const unreachable = { kind: 'unreachable' } as const
const pauses = [200, 800, 2000]

/** Calls of the HTTP API at an origin. The token travels in a header only, and no error repeats it. */
export function apiAt(origin: string, send: typeof fetch = (input, init) => fetch(input, init)): Api {
  const once = async <R extends Route>(route: R, body: string, signal: AbortSignal, { token, keepalive }: CallOptions): Promise<Outcome<RouteAnswer<R>>> => {
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`
    try {
      // Not `no-store`, as which Chromium would ask for leave before every call: the service has nothing of this kept.
      const answer = await send(origin + pathOf(route), {
        method: 'POST',
        headers,
        body,
        signal,
        keepalive: keepalive === true,
        credentials: 'omit',
        redirect: 'error',
        referrerPolicy: 'no-referrer',
      })
      const value: unknown = await answer.json()
      return answer.ok ? { kind: 'answer', value: parse(route.answer, value) as RouteAnswer<R> } : failure(value)
    } catch {
      // A refused connection, an abort, an answer that is no JSON or of another shape: a proxy in between is nobody as well.
      return unreachable
    }
  }

  return async (route, body, options = {}) => {
    const text = JSON.stringify(parse(route.body, body))
    const deadline = AbortSignal.timeout(options.deadline ?? 10_000)
    const signal = options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline])
    const repeatable = options.repeatable ?? route.pace === 'read'
    for (const pause of [...(repeatable ? pauses : []), undefined]) {
      const outcome = await once(route, text, signal, options)
      if (outcome.kind !== 'unreachable' || pause === undefined) return outcome
      await wait(pause, signal)
      if (signal.aborted) break
    }
    return unreachable
  }
}

function failure(value: unknown): Outcome<never> {
  const { error, message } = parse(apiError, value)
  if (error === 'unauthorized') return { kind: 'unauthorized' }
  if (error === 'unavailable') return unreachable
  return { kind: 'refused', error, message }
}

/** Resolves after the milliseconds, or as soon as the signal fires. */
export const wait = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal?.aborted) return resolve()
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
