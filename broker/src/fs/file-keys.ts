import { readKeyEpoch } from '@deputy/contract/api-keys'
import type { EncryptionState } from '@deputy/contract/fs'
import type { AppKeys } from '@deputy/seal'
import type { AppIdentity } from '../app-identity.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { TabNews } from '../sessions/tab-news.ts'
import type { Store } from '../store/store.ts'

/** The app's file keys in this frame, and what stands between it and having them. */
export interface FileKeys {
  /** The keys of the account acting now; null while they are locked. */
  current(): Promise<AppKeys | null>
  /** The keys of an account known to act now; null while they are locked. `newer` than an epoch, where those held are not enough. */
  of(account: string, newer?: number): Promise<AppKeys | null>
  /** Whether the account has keys, at which epoch, and whether the newest are held here. */
  state(): Promise<EncryptionState>
  /** The account's newest epoch: the server's word, or null when it says there are no keys; undefined when nobody answered. */
  newestEpoch(): Promise<number | null | undefined>
  /** Lets the person open the keys in a window. False when they did not, or nobody is signed in. */
  unlock(): Promise<boolean>
  /** Called after keys came or went, here or in another tab. Answers the end of it. */
  onChange(listener: () => void): () => void
}

/** Where the frame keeps its app's keys: beside the session, for as long as the same account acts. */
export interface KeptKeys extends Omit<FileKeys, 'unlock'> {
  /** Takes keys the sign-in window handed over. False when they are not of this app, or not of the account acting now. */
  keep(keys: AppKeys): Promise<boolean>
}

/** What keeping keys needs. */
export interface KeptKeysNeeds {
  readonly app: AppIdentity
  readonly sessions: Sessions
  readonly store: Store
  readonly news: TabNews
}

/** Keeps the keys in the partition's store, none of which can be exported; they go with the account. */
export function keptKeys({ app, sessions, store, news }: KeptKeysNeeds): KeptKeys {
  const name = `file-keys:${app.id}`
  const listeners = new Set<() => void>()
  const tell = (): void => {
    forget()
    for (const listener of [...listeners]) listener()
  }
  const changed = (): void => {
    tell()
    news.tell(name)
  }
  news.listen(subject => {
    if (subject === name) tell()
  })

  // Read once while nothing changes: every read makes keys of its own, from which everything would be derived anew.
  let held: AppKeys | undefined
  let turn = 0
  const forget = (): void => {
    held = undefined
    turn += 1
  }
  const read = async (): Promise<AppKeys | undefined> => {
    const at = turn
    const kept = (await store.get(name)) as AppKeys | undefined
    if (at === turn) held = kept
    return kept
  }
  const of = async (account: string, newer = 0): Promise<AppKeys | null> => {
    const fits = (keys: AppKeys | undefined): keys is AppKeys => keys?.account === account && keys.app === app.id && keys.epoch > newer
    const keys = fits(held) ? held : await read()
    return fits(keys) ? keys : null
  }
  const current = async (): Promise<AppKeys | null> => {
    const session = await sessions.current()
    return session === null ? null : of(session.account.id)
  }
  const newestEpoch = async (): Promise<number | null | undefined> => {
    const outcome = await sessions.call(readKeyEpoch, {}, { deadline: 3500 })
    return outcome.kind === 'answer' ? outcome.value.epoch : undefined
  }
  /** Drops the keys of whoever acts no more. Those of whoever acts now may come before or while this is told, and stay. */
  const dropFormer = async (): Promise<void> => {
    const kept = (await store.get(name)) as AppKeys | undefined
    const session = await sessions.current()
    if (kept === undefined || kept.account === session?.account.id) return
    const left = await store.update(name, value => ((value as AppKeys | undefined)?.account === kept.account ? undefined : value))
    if (left === undefined) changed()
  }
  sessions.onChange(({ switched }) => {
    if (!switched) return
    forget()
    void dropFormer()
  })

  return {
    current,
    of,
    newestEpoch,
    state: async () => {
      const [keys, epoch] = await Promise.all([current(), newestEpoch()])
      // Offline, what is held is all that is known.
      const keyEpoch = epoch === undefined ? (keys?.epoch ?? null) : epoch
      return { enrolled: keyEpoch !== null, keyEpoch, unlocked: keys !== null && keys.epoch === keyEpoch }
    },
    keep: async keys => {
      const session = await sessions.current()
      if (session === null || keys.account !== session.account.id || keys.app !== app.id) return false
      await store.set(name, keys)
      changed()
      return true
    },
    onChange: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
