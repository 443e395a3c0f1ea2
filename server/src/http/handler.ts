import type { Access, ApiErrorCode, Pace, Route, RouteInput, RouteOutput } from '@deputy/contract/api'
import type { Fail } from '@deputy/contract/shape'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Services, Session } from '../services.ts'

/** A refusal, answered as data. */
export type Refusal = Fail<ApiErrorCode>
/** Refuses with a code of the closed table. The message is for developers and repeats nothing the caller sent. */
export const refuse = (error: ApiErrorCode, message: string): Refusal => ({ error, message })

/** The session a call of this access comes with. */
export type SessionOf<By extends Access> = By extends 'anyone' | 'node'
  ? null
  : By extends 'app'
    ? Session & { readonly app: string }
    : By extends 'account'
      ? Session & { readonly app: null }
      : Session

/** What a handler knows of the call beside its input: who calls, from where, and the services. */
export interface Call<By extends Access = Access> extends Services {
  readonly session: SessionOf<By>
  /** The id of the tunnel node that calls, where it is one. */
  readonly node: By extends 'node' ? string : null
  /** The caller's address as rate limits count it. */
  readonly address: string
}

/** A request as the raw handlers see it. */
export type RawContext = Context<{ Bindings: HttpBindings }>

/** A handler with its route, ready to be served. */
export type Handler =
  | { readonly kind: 'json'; readonly route: Route; run(input: unknown, call: Call): Promise<unknown> }
  | { readonly kind: 'raw'; readonly route: RawRoute; run(request: RawContext, call: Call): Promise<Response | Refusal> }

/** A route whose body or answer are no JSON; `path` is a Hono pattern below the api origin. */
export interface RawRoute<By extends Access = Access> {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  /** Its name in metrics and logs. */
  readonly name: string
  readonly access: By
  /** `none` counts against the address alone. */
  readonly pace: Pace | 'file' | 'none'
  /** `any`: pages of every origin may call it, not the broker's alone. */
  readonly callers?: 'any'
}

/** Handles a route of the contract: the input fits the route's body, the output is checked against its answer. */
export const handler = <R extends Route>(route: R, run: (input: RouteInput<R>, call: Call<R['access']>) => Promise<RouteOutput<R> | Refusal>): Handler => ({
  kind: 'json',
  route,
  run,
})

/**
 * Handles a route with raw bytes; the handler reads the body itself and must bound it. It may answer on the socket itself: the
 * headers every answer has are there already.
 */
export const rawHandler = <const By extends Access>(
  route: RawRoute<By>,
  run: (request: RawContext, call: Call<By>) => Promise<Response | Refusal>,
): Handler => ({
  kind: 'raw',
  route,
  run,
})
