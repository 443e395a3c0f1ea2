import { listSessions } from '@deputy/contract/api-sessions'
import { handler } from '../http/handler.ts'

/** The account's living sessions. */
export const list = handler(listSessions, async (_input, { session, rows, clock }) => {
  const found = await rows.read
    .selectFrom('sessions')
    .select(['id', 'app', 'device', 'created', 'last_used'])
    .where('account', '=', session.account)
    .where('expires_at', '>', clock.now())
    .orderBy('last_used', 'desc')
    .orderBy('id')
    .limit(10_000)
    .execute()
  return {
    sessions: found.map(({ id, app, device, created, last_used: lastUsed }) => ({
      id,
      kind: app === null ? ('account' as const) : ('app' as const),
      app,
      device,
      created,
      lastUsed,
      current: id === session.id,
    })),
  }
})
