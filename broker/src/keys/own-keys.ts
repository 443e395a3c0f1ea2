import type { HeldKeys, OpenedKeys } from '@deputy/seal'
import type { AccountKeys } from './account-keys.ts'

/** The account's keys as the account page's parts use them. */
export interface OwnKeys {
  /** The keys this browser holds, asking nobody; null when locked. */
  current(): Promise<HeldKeys | null>
  /** The newest keys, asking the person where they are not held; null when the person did not open them, or there are none. */
  unlock(): Promise<HeldKeys | null>
}

/** Keys that ask with `askOpened`. */
export const ownKeysOf = (keys: Pick<AccountKeys, 'current' | 'read'>, askOpened: (why: 'app') => Promise<OpenedKeys | null>): OwnKeys => ({
  current: () => keys.current(),
  unlock: async () => {
    const [held, state] = await Promise.all([keys.current(), keys.read()])
    if (held !== null && (state.value === null || held.epoch >= state.value.epoch)) return held
    return (await (await askOpened('app'))?.held()) ?? null
  },
})
