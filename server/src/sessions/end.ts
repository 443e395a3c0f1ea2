import { endSession } from '@deputy/contract/api-sessions'
import { handler } from '../http/handler.ts'

/** Ends the calling session. */
export const end = handler(endSession, async (_input, { session, rows, sessionsEnded }) => {
  await sessionsEnded(await rows.write('endSessions', { id: session.id }))
  return {}
})
