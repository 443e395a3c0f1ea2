import { revokeSession } from '@deputy/contract/api-sessions'
import { handler, refuse } from '../http/handler.ts'

/** Ends a session of the account. */
export const revoke = handler(revokeSession, async ({ id }, { session, rows, sessionsEnded }) => {
  const ended = await rows.write('endSessions', { id, account: session.account })
  if (ended.length === 0) return refuse('not-found', 'the account has no such session')
  await sessionsEnded(ended)
  return {}
})
