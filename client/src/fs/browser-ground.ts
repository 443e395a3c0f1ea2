import type { ConflictChoice, ConflictRequest } from '@deputy/contract/fs'
import { onChange } from '../account.ts'
import { ownCalls } from './cloud-tree.ts'
import { idbRecords } from './idb-records.ts'
import { inSight } from './in-sight.ts'
import type { Ground } from './local-first.ts'
import { broadcast, newsOver } from './news.ts'
import { privateFolder } from './private-files.ts'

/** What an app may decide about its local-first files; set it before the first call. */
export interface FilesOptions {
  /** Decides conflicts in place of the broker's card: the side to keep, or `null` for both. */
  readonly onConflict?: ((request: ConflictRequest) => Promise<ConflictChoice>) | undefined
  /** Whether the person is asked, once they have connected, to take files written before into the account; `true` unless said. */
  readonly asksToAdopt?: boolean | undefined
}

/** What the local-first files stand on in a page. */
export const browserGround = (options: () => FilesOptions): Ground => ({
  records: idbRecords('deputy-fs', () => privateFolder('deputy-fs-contents')),
  // A worker asks through its page.
  calls: globalThis.document === undefined ? ownCalls : inSight(ownCalls, broadcast('fs-asks'), { seen: () => !document.hidden, onSeen: whenSeen }),
  news: newsOver(broadcast('fs')),
  signals: broadcast('fs-signals'),
  clock: {
    now: () => Date.now(),
    after: (milliseconds, task) => {
      const timer = setTimeout(task, milliseconds)
      return () => clearTimeout(timer)
    },
  },
  unique: () => crypto.randomUUID(),
  random: () => Math.random(),
  alone: run => navigator.locks.request('deputy:fs-identify', run) as ReturnType<typeof run>,
  lead: task => void navigator.locks.request('deputy:fs-sync', task).catch(() => undefined),
  onAccount: listener => {
    // A broker that cannot be reached yet tells of nothing; the registration is made again with the next look.
    const register = (): void => void onChange(change => listener(change?.switched ?? true)).catch(() => void setTimeout(register, 5_000))
    register()
  },
  onOnline: listener => {
    addEventListener('online', listener)
    whenSeen(listener)
  },
  decide: request => options().onConflict?.(request),
  asksToAdopt: () => options().asksToAdopt ?? true,
})

const whenSeen = (listener: () => void): void =>
  globalThis.document?.addEventListener('visibilitychange', () => {
    if (!document.hidden) listener()
  })
