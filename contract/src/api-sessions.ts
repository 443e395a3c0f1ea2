import { deviceName, route, session } from './api.ts'
import { boolean, integer, list, nullable, object, oneOf, string } from './shape.ts'

const none = /* @__PURE__ */ object({})

/**
 * Renews the session: a fresh token of the same session. The old token works 60 s longer; its use after that ends the whole
 * session (somebody else holds a copy).
 */
export const renewSession = /* @__PURE__ */ route('sessions', 'renew', 'session', 'write', none, session)
/** Ends this session. */
export const endSession = /* @__PURE__ */ route('sessions', 'end', 'session', 'write', none, none)
/** Every live session of the account, newest use first. */
export const listSessions = /* @__PURE__ */ route(
  'sessions',
  'list',
  'account',
  'read',
  none,
  object({
    sessions: list(
      object({
        id: string({ max: 64 }),
        kind: oneOf('account', 'app'),
        app: nullable(string({ max: 300 })),
        device: deviceName,
        created: integer(),
        lastUsed: integer(),
        current: boolean,
      }),
    ),
  }),
)
/** Ends another session of the account. */
export const revokeSession = /* @__PURE__ */ route('sessions', 'revoke', 'account', 'write', object({ id: string({ max: 64 }) }), none)
