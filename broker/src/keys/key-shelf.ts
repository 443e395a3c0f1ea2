import type { HeldKeys } from '@deputy/seal'
import type { Store } from '../store/store.ts'

/** What a top-level window keeps of an account's keys between its visits: nothing that can be exported, and no secret. */
export interface KeyShelf {
  /** The keys of the account, or null when others or none are held. */
  held(account: string): Promise<HeldKeys | null>
  keep(keys: HeldKeys): Promise<void>
  /** Forgets the keys; what was seen stays. */
  drop(): Promise<void>
  /** The highest epoch this browser has seen of the account, 0 for none. */
  seen(account: string): Promise<number>
  /** Forgets what was seen, after the person gave the keys up. */
  forget(account: string): Promise<void>
  /** Whether the account is still owed a recovery code: one that was made but never confirmed does not count. */
  codeDue(account: string): Promise<boolean>
  setCodeDue(account: string, due: boolean): Promise<void>
}

const heldKey = 'keys:held'
const seenKey = (account: string): string => `keys:seen:${account}`
const dueKey = (account: string): string => `keys:code-due:${account}`

/** Keys kept in a store. */
export const keyShelf = (store: Store): KeyShelf => ({
  held: async account => {
    const kept = (await store.get(heldKey)) as HeldKeys | undefined
    return kept?.account === account ? kept : null
  },
  keep: async keys => {
    await store.update(seenKey(keys.account), seen => Math.max(typeof seen === 'number' ? seen : 0, keys.epoch))
    await store.set(heldKey, keys)
  },
  drop: () => store.delete(heldKey),
  seen: async account => {
    const seen = await store.get(seenKey(account))
    return typeof seen === 'number' ? seen : 0
  },
  forget: async account => {
    await store.delete(heldKey)
    await store.delete(seenKey(account))
  },
  codeDue: async account => (await store.get(dueKey(account))) === true,
  setCodeDue: (account, due) => (due ? store.set(dueKey(account), true) : store.delete(dueKey(account))),
})
