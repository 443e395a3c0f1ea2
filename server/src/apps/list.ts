import { listApps } from '@deputy/contract/api-apps'
import { handler } from '../http/handler.ts'

/** The apps the account has connected, newest use first. */
export const list = handler(listApps, async (_input, { session, rows, objectTotals }) => {
  const grants = await rows.read
    .selectFrom('app_grants')
    .selectAll()
    .where('account', '=', session.account)
    .orderBy('last_used', 'desc')
    .orderBy('app')
    .limit(10_000)
    .execute()
  const totals = await objectTotals(session.account)
  return {
    apps: grants.map(({ app, connected_at: connectedAt, last_used: lastUsed }) => {
      const { objects, bytes } = totals.get(app) ?? { objects: 0, bytes: 0 }
      return { app, connectedAt, lastUsed, objects, bytes }
    }),
  }
})
