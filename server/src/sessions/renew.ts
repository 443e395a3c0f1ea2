import { renewSession } from '@deputy/contract/api-sessions'
import { handler, refuse } from '../http/handler.ts'
import { sessionsChanged } from './find.ts'
import { tokenHash } from './token-hash.ts'

/** Hands out a fresh token of the same session. */
export const renew = handler(renewSession, async (_input, { session, rows, bus, clock, config, ids, profileOf }) => {
  const token = ids.token()
  const now = clock.now()
  const renewed = await rows.write('renewSession', { token: session.token, next: tokenHash(token), now, lives: config.sessions })
  const account = await profileOf(session.account)
  if (renewed === 'ended' || account === null) return refuse('unauthorized', 'the session is over')
  if (renewed === 'too-many') return refuse('conflict', 'the session was just renewed elsewhere')
  await bus.publish(sessionsChanged, [session.id])
  const { id, app } = session
  return {
    token,
    id,
    kind: app === null ? ('account' as const) : ('app' as const),
    app,
    renewAt: now + config.sessions.renew,
    expiresAt: renewed.expiresAt,
    account,
  }
})
