import { authorizeApp } from '@deputy/contract/api-apps'
import { handler, refuse } from '../http/handler.ts'
import { codeHash } from './code-hash.ts'

const isApp = (app: string): boolean => {
  const origin = app.slice('web:'.length)
  return URL.canParse(origin) && new URL(origin).origin === origin
}

/** Connects an app and answers its one-time code. */
export const authorize = handler(authorizeApp, async ({ app, challenge }, { session, rows, ids, clock, config }) => {
  if (!isApp(app)) return refuse('invalid', 'the app is no web:<origin>')
  const code = ids.token()
  const now = clock.now()
  await rows.write('authorizeApp', { account: session.account, app, hash: codeHash(code), challenge, now, expiresAt: now + config.apps.code })
  return { code }
})
