import { disconnectApp } from '@deputy/contract/api-apps'
import { handler, refuse } from '../http/handler.ts'

/** Disconnects an app; its sessions end at once. */
export const disconnect = handler(disconnectApp, async ({ app }, { session, rows, sessionsEnded }) => {
  const ended = await rows.write('disconnectApp', { account: session.account, app })
  if (ended === null) return refuse('not-found', 'the app is not connected')
  await sessionsEnded(ended)
  return {}
})
