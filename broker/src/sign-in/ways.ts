import { beginEmail, beginOidc, beginSignIn, beginSignUp, finishEmail, finishOidc, finishSignIn, finishSignUp, recover } from '@deputy/contract/api-accounts'
import type { RouteAnswer } from '@deputy/contract/api'
import { readRecoveryCode, recoveryProof, type UnlockSecret } from '@deputy/seal'
import type { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import type { Api, Outcome } from '../api/api.ts'
import { deviceName } from '../connecting/device.ts'
import { askingPrf, takePrf, type PasskeyKeys } from '../keys/passkey.ts'
import { browserAuthenticator, ceremony, problem, tried, type Authenticator, type Tried } from './tried.ts'

/** What every way of signing in ends with: the session, whether a recovery code is set, and what may open the keys. */
export interface SignedIn extends RouteAnswer<typeof finishSignIn> {
  readonly secret: UnlockSecret | null
  /** The passkey that was used or made. */
  readonly passkey: PasskeyKeys | null
}
const patience = { deadline: 20_000 }

/** The ways of signing in, each from the person's words to a session. */
export interface Ways {
  passkey(): Promise<Tried<SignedIn>>
  newAccount(name: string): Promise<Tried<SignedIn>>
  /** Sends the code; the value names the ceremony. */
  sendEmail(email: string): Promise<Tried<string>>
  emailCode(ceremony: string, code: string, name: string | undefined): Promise<Tried<SignedIn>>
  recoveryCode(code: string): Promise<Tried<SignedIn>>
  /** Begins with an outside provider: where to send the window, and the ceremony to finish when it comes back. */
  beginProvider(provider: string): Promise<Tried<{ ceremony: string; url: string }>>
  finishProvider(ceremony: string, url: string): Promise<Tried<SignedIn>>
}

type Answer = RouteAnswer<typeof finishSignIn>
type Creating = Parameters<typeof startRegistration>[0]['optionsJSON']
type Requesting = Parameters<typeof startAuthentication>[0]['optionsJSON']

/** The ways over an api. What opens keys stays in the window: only what is left of a passkey's response is sent. */
export function waysOver(api: Api, authenticator: Authenticator = browserAuthenticator): Ways {
  const device = deviceName()
  const arrived = (outcome: Outcome<Answer>, secret: UnlockSecret | null = null, passkey: PasskeyKeys | null = null): Tried<SignedIn> => {
    const answer = tried(outcome)
    return answer.problem === null ? { value: { ...answer.value, secret, passkey }, problem: null } : answer
  }
  return {
    passkey: async () => {
      const begun = tried(await api(beginSignIn, {}, patience))
      if (begun.problem !== null) return begun
      const answer = await ceremony(() => authenticator.get({ optionsJSON: askingPrf(begun.value.options as Requesting) }))
      if (answer.problem !== null) return answer
      const { response, keys } = takePrf(answer.value)
      return arrived(await api(finishSignIn, { ceremony: begun.value.ceremony, response, device }, patience), keys.secret, keys)
    },
    newAccount: async name => {
      const begun = tried(await api(beginSignUp, { name }, patience))
      if (begun.problem !== null) return begun
      const answer = await ceremony(() => authenticator.create({ optionsJSON: askingPrf(begun.value.options as Creating) }))
      if (answer.problem !== null) return answer
      const { response, keys } = takePrf(answer.value)
      return arrived(await api(finishSignUp, { ceremony: begun.value.ceremony, response, device }, patience), keys.secret, keys)
    },
    sendEmail: async email => {
      const begun = tried(await api(beginEmail, { email }, patience))
      return begun.problem !== null ? begun : { value: begun.value.ceremony, problem: null }
    },
    emailCode: async (ceremony, code, name) => arrived(await api(finishEmail, { ceremony, code, device, ...(name === undefined ? {} : { name }) }, patience)),
    recoveryCode: async typed => {
      const code = readRecoveryCode(typed)
      if (code === null) return problem('mistyped-code')
      return arrived(await api(recover, { proof: await recoveryProof(code), device }, patience), { kind: 'recovery', code })
    },
    beginProvider: async provider => tried(await api(beginOidc, { provider }, patience)),
    finishProvider: async (ceremony, url) => arrived(await api(finishOidc, { ceremony, url, device }, patience)),
  }
}
