import type { Account, account } from '@deputy/contract/account'
import { readProfile } from '@deputy/contract/api-accounts'
import type { Served } from '@deputy/contract/shape'
import type { AppIdentity } from '../app-identity.ts'
import { wait } from '../api/api.ts'
import { chooseKey, type Connecting } from '../connecting/connecting.ts'
import { tellFar } from '../listeners.ts'
import { checkConsumer } from '../own-origin.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'
import type { Store } from '../store/store.ts'

const patience = 3500

/** What an app may know of an account: no id, no address, no role. */
const toAccount = ({ image, name, premium, premiumUntil }: Session['account']): Account => ({ image, name, premium, premiumUntil })

/** The `account` namespace for one app. */
export function accountService(needs: {
  readonly app: AppIdentity
  readonly sessions: Sessions
  readonly connecting: Connecting
  readonly store: Store
}): Served<typeof account> {
  const { app, sessions, connecting, store } = needs
  return {
    // Never asks the person, and says "signed out" only where that is known: an account nobody could be asked about stays.
    info: async () => {
      const held = await sessions.current()
      if (held === null) return null
      const outcome = await Promise.race([sessions.call(readProfile, {}, { deadline: patience }), wait(patience)])
      if (outcome?.kind === 'answer') return toAccount(outcome.value)
      const latest = await sessions.current()
      return latest === null ? null : toAccount(latest.account)
    },
    login: async consumerOrigin => {
      checkConsumer(app, consumerOrigin, 'account.login')
      return connecting.connect('sign-in')
    },
    logout: async () => {
      await store.set(chooseKey(app), true)
      await sessions.end()
    },
    onChange: listener => tellFar(listener, tell => sessions.onChange(tell)),
  }
}
