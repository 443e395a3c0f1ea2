import type { Received, Sent, Shape } from './shape.ts'
import { boolean, integer, nullable, object, oneOf, opaque, string } from './shape.ts'

/** Who may call a route: anybody, a session of the account itself (a first-party window), of an app, or either of them; or a tunnel node. */
export type Access = 'anyone' | 'account' | 'app' | 'session' | 'node'
/** Which rate limit a route counts against; the figures are the server's configuration. */
export type Pace = 'read' | 'write' | 'sign-in'

/**
 * One operation of the HTTP API: `POST {api}/v1/<area>/<name>` with a JSON body of shape `body`, answered 200 with a JSON value
 * of shape `answer`, or with the status of `statusOf[error]` and `{ error, message }`.
 */
export interface Route<Body extends Shape = Shape, Answer extends Shape = Shape, By extends Access = Access> {
  readonly area: string
  readonly name: string
  readonly access: By
  readonly pace: Pace
  readonly body: Body
  readonly answer: Answer
}

/** What a caller of the route sends. */
export type RouteBody<R extends Route> = Sent<R['body']>
/** What the handler of the route reads. */
export type RouteInput<R extends Route> = Received<R['body']>
/** What a caller of the route gets. */
export type RouteAnswer<R extends Route> = Received<R['answer']>
/** What the handler of the route answers. */
export type RouteOutput<R extends Route> = Sent<R['answer']>

/** States a route. */
export const route = <B extends Shape, A extends Shape, const By extends Access>(
  area: string,
  name: string,
  access: By,
  pace: Pace,
  body: B,
  answer: A,
): Route<B, A, By> => Object.freeze({ area, name, access, pace, body, answer })

/** The path of a route below the api origin. */
export const pathOf = (of: Route): string => `/v1/${of.area}/${of.name}`

/** HTTP status of each error code a route can answer. */
export const statusOf = {
  invalid: 400,
  unauthorized: 401,
  denied: 403,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
  quota: 402,
  'too-many': 403,
  'too-many-this-hour': 429,
  'rate-limited': 429,
  unavailable: 503,
} as const
/** An error code of the HTTP API. */
export type ApiErrorCode = keyof typeof statusOf
/** The body of every answer that is no success. */
export const apiError = /* @__PURE__ */ object({ error: string({ max: 64 }), message: string({ max: 1024 }) })

/** A person's account as the broker's own pages see it; apps get `Account` of the account namespace, which has no id. */
export const profile = /* @__PURE__ */ object({
  id: string({ max: 64 }),
  name: string({ min: 1, max: 100 }),
  image: nullable(string({ max: 200_000 })),
  email: nullable(string({ max: 254 })),
  admin: boolean,
  premium: boolean,
  premiumUntil: nullable(string({ max: 40 })),
  created: integer(),
})

/** A session as the server hands it out: the bearer token appears here and nowhere else. */
export const session = /* @__PURE__ */ object({
  token: string({ min: 43, max: 43 }),
  id: string({ max: 64 }),
  kind: oneOf('account', 'app'),
  /** The app's id (`web:<origin>`) for an app session. */
  app: nullable(string({ max: 300 })),
  /** Epoch ms from which the holder should ask for a renewal. */
  renewAt: integer(),
  /** Epoch ms at which the session ends without use. */
  expiresAt: integer(),
  account: profile,
})

/** What names the device in the list of sessions, e.g. `Chromium on Linux`; the person reads it. */
export const deviceName = /* @__PURE__ */ string({ max: 100 })
/** JSON that a WebAuthn library makes and reads. */
export const webauthn = opaque
