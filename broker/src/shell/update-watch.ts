import type { ReadSite } from '../site.ts'

/** Knows whether a newer build of the broker is served than the one that runs. */
export interface UpdateWatch {
  /** Asks the service now; false also when it cannot be reached. */
  ready(): Promise<boolean>
  /** Takes the newer build by loading the frame anew, after the answer has left; false when there is none. */
  apply(): Promise<boolean>
  /** Called once per newer build noticed, at once for one noticed before. Answers the end of it. */
  onReady(listener: () => void): () => void
  /** Called once when this document was loaded by `apply` and runs another build than before. Answers the end of it. */
  onTaken(listener: () => void): () => void
  /** Stops watching. */
  close(): void
}

/** What the watch needs of its document. */
export interface UpdateNeeds {
  readonly build: string
  readonly read: ReadSite
  readonly realm: Window
  /** Milliseconds between two looks while the page is visible. */
  readonly every?: number
}

const quarter = 15 * 60_000

/** Watches for a newer build. The reload is remembered in the frame's own history entry, which needs no storage. */
export function watchUpdates({ build, read, realm, every = quarter }: UpdateNeeds): UpdateWatch {
  const listeners = new Set<() => void>()
  const left = (realm.history.state as { leftBuild?: string } | null)?.leftBuild
  if (left !== undefined) realm.history.replaceState(null, '')
  const taken = left !== undefined && left !== build
  let newer = build

  const look = async (): Promise<boolean> => {
    const site = await read()
    if (site === null) return newer !== build
    const changed = site.build !== newer && site.build !== build
    newer = site.build
    if (changed) for (const listener of [...listeners]) listener()
    return newer !== build
  }
  const lookIfVisible = (): void => {
    if (realm.document.visibilityState === 'visible') void look()
  }
  const timer = realm.setInterval(lookIfVisible, every)
  realm.document.addEventListener('visibilitychange', lookIfVisible)

  const soon = (listener: () => void): (() => void) => {
    let ended = false
    queueMicrotask(() => ended || listener())
    return () => {
      ended = true
    }
  }

  return {
    ready: look,
    apply: async () => {
      if (!(await look())) return false
      realm.history.replaceState({ leftBuild: build }, '')
      realm.setTimeout(() => realm.location.reload(), 0)
      return true
    },
    onReady: listener => {
      const own = (): void => listener()
      listeners.add(own)
      const end = newer === build ? () => {} : soon(own)
      return () => {
        listeners.delete(own)
        end()
      }
    },
    onTaken: listener => (taken ? soon(listener) : () => {}),
    close: () => {
      realm.clearInterval(timer)
      realm.document.removeEventListener('visibilitychange', lookIfVisible)
    },
  }
}
