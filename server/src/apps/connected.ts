import { appConnected } from '@deputy/contract/api-apps'
import { handler } from '../http/handler.ts'

/** Whether the account has connected the app. */
export const connected = handler(appConnected, async ({ app }, { session, rows }) => {
  const grant = await rows.read.selectFrom('app_grants').select('app').where('account', '=', session.account).where('app', '=', app).executeTakeFirst()
  return { connected: grant !== undefined }
})
