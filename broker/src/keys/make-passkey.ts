import { beginPasskey, finishPasskey } from '@deputy/contract/api-accounts'
import type { startRegistration } from '@simplewebauthn/browser'
import { deviceName } from '../connecting/device.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { browserAuthenticator, ceremony, tried, type Authenticator, type Tried } from '../sign-in/tried.ts'
import { askingPrf, takePrf, type PasskeyKeys } from './passkey.ts'

/** Adds a passkey of this device to the account; the value tells whether it can open keys. */
export async function makePasskey(
  call: Sessions['call'],
  { create }: Pick<Authenticator, 'create'> = browserAuthenticator,
  name = deviceName(),
): Promise<Tried<PasskeyKeys>> {
  const begun = tried(await call(beginPasskey, {}))
  if (begun.problem !== null) return begun
  const options = begun.value.options as Parameters<typeof startRegistration>[0]['optionsJSON']
  const answer = await ceremony(() => create({ optionsJSON: askingPrf(options) }))
  if (answer.problem !== null) return answer
  const { response, keys } = takePrf(answer.value)
  const finished = tried(await call(finishPasskey, { ceremony: begun.value.ceremony, response, name }))
  return finished.problem === null ? { value: keys, problem: null } : finished
}
