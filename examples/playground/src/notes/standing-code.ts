import * as account from '@deputy/client/account'
import { adopt, onStatus, status, unlock, type Status } from '@deputy/client/fs'

/** How notes and account stand, now and whenever that changes. */
export function follow(listener: (status: Status) => void) {
  listener(status())
  return onStatus(listener)
}

/** In click handlers: each may open a window of the broker. */
export const ask = {
  signIn: account.login,
  signOut: account.logout,
  /** With a passkey, a passphrase or the recovery code. */
  unlock,
  /** Takes notes written while nobody was signed in into the account. */
  adopt,
}
