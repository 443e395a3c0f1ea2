import { randomBytes } from './bytes.ts'
import { appKeysOf, enrolKeys, mintRecoveryCode, openKeys, type AppKeys, type KeyState, type OpenedKeys, type UnlockSecret } from './index.ts'

/** An account that has enrolled: what the server keeps, and what opens it. */
export interface Enrolled {
  readonly account: string
  readonly state: KeyState
  readonly keys: OpenedKeys
  readonly passkey: UnlockSecret
  readonly recovery: UnlockSecret
}

/** A fresh passkey's secret. */
export const passkeySecret = (credential = 'Y3JlZGVudGlhbA'): UnlockSecret => ({ kind: 'passkey', credential, prf: randomBytes(32) })

/** Enrols an account with a passkey and a recovery code. */
export async function enrolled(account = 'account-one'): Promise<Enrolled> {
  const passkey = passkeySecret()
  const recovery: UnlockSecret = { kind: 'recovery', code: mintRecoveryCode() }
  const ways = [
    { secret: passkey, name: 'Laptop' },
    { secret: recovery, name: '' },
  ]
  const { unlockers, keys } = await enrolKeys({ account, unlockers: ways, now: 1_790_000_000_000 })
  return { account, state: { epoch: 1, unlockers, chain: [] }, keys, passkey, recovery }
}

/** The account after one more rotation. */
export async function rotated(before: Enrolled, change: { readonly drop?: readonly string[] } = {}): Promise<Enrolled> {
  const { unlockers, link, keys } = await before.keys.rotate({ state: before.state, drop: change.drop ?? [], now: 1_790_000_000_001 })
  return { ...before, keys, state: { epoch: before.state.epoch + 1, unlockers, chain: [...before.state.chain, link] } }
}

/** The keys of one app. */
export const appKeys = async ({ keys }: Pick<Enrolled, 'keys'>, app = 'web:https://app.example'): Promise<AppKeys> => appKeysOf(await keys.held(), app)

/** Opens with a secret. */
export const unlocked = ({ account, state }: Enrolled, secret: UnlockSecret, seenEpoch = 0): Promise<OpenedKeys> =>
  openKeys({ account, state, secret, seenEpoch })
