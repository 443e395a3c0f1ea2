import { apiError, pathOf, type ApiErrorCode, type Route, type RouteAnswer, type RouteBody } from '@deputy/contract/api'
import { parse } from '@deputy/contract/validate'
import { Agent, request } from 'undici'

/** How a call to the API ended; `unavailable` says nothing about what became of it. */
export type Said<T> = { readonly answer: T; readonly error?: never } | { readonly error: ApiErrorCode | (string & {}); readonly message: string }

/** Calls the API as the node. */
export interface Control {
  call<R extends Route>(route: R, body: RouteBody<R>): Promise<Said<RouteAnswer<R>>>
  close(): Promise<void>
}

const deadline = 10_000
const largest = 2 ** 20
const loopback = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** The API of the server at its origin, for the node of this id. */
export function controlAt(origin: string, id: string, secret: string): Control {
  // Names below localhost are this machine by definition, whether or not a resolver knows them.
  const isLocal = new URL(origin).hostname.endsWith('.localhost')
  const agent = new Agent({
    maxResponseSize: largest,
    ...(isLocal ? { connect: { autoSelectFamily: true, lookup: (_name, _options, answer) => answer(null, loopback) } } : {}),
  })
  return {
    call: async (route, body) => {
      const text = JSON.stringify(parse(route.body, body))
      try {
        const response = await request(origin + pathOf(route), {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${id}.${secret}` },
          body: text,
          dispatcher: agent,
          signal: AbortSignal.timeout(deadline),
        })
        const value: unknown = await response.body.json()
        return response.statusCode === 200 ? { answer: parse(route.answer, value) as never } : parse(apiError, value)
      } catch {
        // Refused, timed out, or an answer of another shape: a proxy in between is nobody as well.
        return { error: 'unavailable', message: 'the API is out of reach' }
      }
    },
    close: () => agent.destroy(),
  }
}
