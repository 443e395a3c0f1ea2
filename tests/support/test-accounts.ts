import { createHash, randomBytes } from 'node:crypto'
import { beginSignUp, finishSignUp } from '@deputy/contract/api-accounts'
import { setRecovery } from '@deputy/contract/api-keys'
import { mintRecoveryCode, recoveryProof } from '@deputy/seal'
import { authorizeApp, redeemApp } from '@deputy/contract/api-apps'
import type { Route, RouteAnswer } from '@deputy/contract/api'
import { Authenticator } from './authenticator.ts'
import type { CallAnswer, TestServer } from './start-test-server.ts'

/** The answer of a call that must succeed. @throws with its refusal when it did not. */
export function ok<R extends Route>(answer: CallAnswer<R>): RouteAnswer<R> {
  if (answer.status !== 200 || answer.answer === undefined)
    throw new Error(`the call was refused: ${answer.status} ${answer.error ?? ''} ${answer.error === undefined ? '' : answer.message}`)
  return answer.answer
}

/** What is needed of a server to call it. */
export type Called = Pick<TestServer, 'origins' | 'call'>

/** A person with an account, their authenticator and a session of the account itself. */
export interface TestPerson {
  readonly authenticator: Authenticator
  readonly session: RouteAnswer<typeof finishSignUp>['session']
  readonly token: string
  readonly recoveryCode: string
}

/** Sets a fresh recovery code as the window does for an account without keys; answers it. */
export async function giveRecoveryCode(server: Called, token: string): Promise<string> {
  const code = mintRecoveryCode()
  ok(await server.call(setRecovery, { recovery: await recoveryProof(code), epoch: null, unlocker: null }, token))
  return code
}

/** Makes an account with a passkey, by the ceremonies. */
export async function signUp(server: Called, name = 'Ada'): Promise<TestPerson> {
  const authenticator = new Authenticator(server.origins.broker)
  const begun = ok(await server.call(beginSignUp, { name }))
  const { session } = ok(await server.call(finishSignUp, { ceremony: begun.ceremony, response: authenticator.create(begun.options), device: 'Test' }))
  return { authenticator, session, token: session.token, recoveryCode: await giveRecoveryCode(server, session.token) }
}

/** A verifier as the broker frame makes one, with its S256 challenge. */
export function verifierPair(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Connects an app and redeems its code: an app session. */
export async function connectApp(server: Called, token: string, app = 'web:http://app.localhost:8000'): Promise<RouteAnswer<typeof redeemApp>> {
  const { verifier, challenge } = verifierPair()
  const { code } = ok(await server.call(authorizeApp, { app, challenge }, token))
  return ok(await server.call(redeemApp, { code, verifier, app, device: 'Test' }))
}
