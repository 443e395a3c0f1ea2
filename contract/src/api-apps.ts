import { deviceName, route, session } from './api.ts'
import { boolean, integer, list, object, string } from './shape.ts'

const none = /* @__PURE__ */ object({})
/** `web:<origin>`. */
const app = /* @__PURE__ */ string({ min: 5, max: 300, pattern: /^web:https?:\/\/[^/?#\s]+$/ })
/** base64url of a SHA-256, 43 characters. */
const challenge = /* @__PURE__ */ string({ min: 43, max: 43, pattern: /^[A-Za-z0-9_-]{43}$/ })

/** Whether the person has connected this app before. */
export const appConnected = /* @__PURE__ */ route('apps', 'connected', 'account', 'read', object({ app }), object({ connected: boolean }))
/**
 * Records that the person connects the app and answers a one-time code (60 s), bound to the app and to the SHA-256 challenge of
 * a verifier that only the broker frame which asked holds.
 */
export const authorizeApp = /* @__PURE__ */ route('apps', 'authorize', 'account', 'write', object({ app, challenge }), object({ code: string({ max: 100 }) }))
/** Turns the code into a session of (account, app). */
export const redeemApp = /* @__PURE__ */ route(
  'apps',
  'redeem',
  'anyone',
  'sign-in',
  object({ code: string({ max: 100 }), verifier: challenge, app, device: deviceName }),
  session,
)
/** The apps the account has connected. */
export const listApps = /* @__PURE__ */ route(
  'apps',
  'list',
  'account',
  'read',
  none,
  object({ apps: list(object({ app, connectedAt: integer(), lastUsed: integer(), objects: integer(), bytes: integer() })) }),
)
/** Disconnects an app: its sessions end at once. Its objects stay until deleted. */
export const disconnectApp = /* @__PURE__ */ route('apps', 'disconnect', 'account', 'write', object({ app }), none)
