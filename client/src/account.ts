import type { Account, AccountChange } from '@deputy/contract/account'
import { served } from './broker.ts'
import { ownOrigin } from './realm.ts'

export type { Account, AccountChange } from '@deputy/contract/account'

/** The signed-in account as this app may know it, or `null` when nobody is signed in (ACC-1). Never raises a card. */
export async function info(): Promise<Account | null> {
  return (await served('account')).info()
}

/** Asks the person to sign in and to connect this app; `false` when they decline (ACC-2). Call it from a click. */
export async function login(): Promise<boolean> {
  return (await served('account')).login(ownOrigin())
}

/** Signs this app out (ACC-3). The account's other apps stay signed in. */
export async function logout(): Promise<void> {
  await (await served('account')).logout()
}

/**
 * Calls `listener` when the account changes: `switched` is true only when another account is acted for, or none (ACC-4, ACC-5). A
 * broker older than the payload passes none (ACC-6). Answers the unsubscribe function; an error the listener throws is reported and stops nothing.
 */
export async function onChange(listener: (change?: AccountChange) => void): Promise<() => void> {
  const off = await (await served('account')).onChange(change => listener(change))
  return () => void off()
}
