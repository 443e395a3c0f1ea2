import { redeemApp } from '@deputy/contract/api-apps'
import { handler, refuse } from '../http/handler.ts'
import { codeHash } from './code-hash.ts'

/** Turns a one-time code into an app session. Which part of it was wrong is not told. */
export const redeem = handler(redeemApp, async ({ code, verifier, app, device }, { rows, clock, issueSession }) => {
  const account = await rows.write('redeemAppCode', { hash: codeHash(code), app, challenge: codeHash(verifier), now: clock.now() })
  const session = account === null ? null : await issueSession(account, app, device)
  return session ?? refuse('denied', 'the code is unknown, used, out of time or for another')
})
