import type { ConflictChoice, ConflictRequest } from '@deputy/contract/fs'
import { adopting } from './adopt.ts'
import type { CloudCalls } from './cloud-calls.ts'
import { FsError, isCode } from './errors.ts'
import type { Broadcast, News } from './news.ts'
import type { Records } from './records.ts'
import { recordsVolume, type RecordsVolume } from './records-volume.ts'
import { NOBODY, spacesOf, type Standing } from './spaces.ts'
import { initial, type Signal, type Status } from './status.ts'
import { syncOf } from './sync.ts'
import type { Listener, Volume } from './volume.ts'

/** Milliseconds a call waits at most for the broker to say who is signed in; then the files shown last are used. */
const GRACE = 3_000
/** Milliseconds between looks at the cloud while nothing happens, and the bounds of the wait after a failure. */
const [LOOK, SOON, LATE] = [15_000, 1_000, 60_000]

/** What a local-first storage stands on. */
export interface Ground {
  readonly records: Records
  readonly calls: CloudCalls
  readonly news: News
  readonly signals: Broadcast<Signal>
  readonly clock: { now(): number; after(milliseconds: number, task: () => void): () => void }
  readonly unique: () => string
  readonly random: () => number
  alone<T>(run: () => Promise<T>): Promise<T>
  /** Runs the task once this tab leads, and no other tab's meanwhile; its promise settles when this tab gives up. */
  lead(task: () => Promise<void>): void
  /** Calls the listener when the account changes; `switched` when another one is acted for, or none. */
  onAccount(listener: (switched: boolean) => void): void
  /** Calls the listener when the device comes online. */
  onOnline(listener: () => void): void
  /** Decides a conflict in place of the broker's card. */
  decide(request: ConflictRequest): Promise<ConflictChoice> | undefined
  /** Whether the person is asked to take files of nobody into the account once they have connected. */
  asksToAdopt(): boolean
}

export interface LocalFirst {
  /** The files of the account as it is known at this moment, for one operation. */
  open(): Volume
  status(): Status
  onStatus(listener: (status: Status) => void): () => void
  sync(): Promise<void>
  unlock(): Promise<boolean>
  adopt(): Promise<boolean>
}

/** Files that are written here first and told to the cloud as it can be reached: each to the account it was written under, and to no other. */
export function localFirst(ground: Ground): LocalFirst {
  const { records, calls, news, signals, clock, unique } = ground
  const spaces = spacesOf({ records, calls, unique, alone: ground.alone })
  const volumes = new Map<string, RecordsVolume>()
  const watchers = new Set<Listener>()
  const listeners = new Set<(status: Status) => void>()
  let status: Status = initial
  let view: Promise<RecordsVolume> = new Promise(() => {})
  let shown: RecordsVolume | undefined
  let leads = false
  let switches = 0
  /** The space for as long as nobody can say who is signed in. */
  let fallback: () => Promise<string> = spaces.last

  const volumeOf = (space: string): RecordsVolume => {
    const known = volumes.get(space)
    if (known !== undefined) return known
    const owes = space !== NOBODY
    const fetch = async ({ path }: { readonly path: string }) => {
      const pin = (await spaces.all()).find(({ id }) => id === space)?.pin
      if (pin === undefined) throw new FsError('UNAVAILABLE')
      return calls.read(pin, path)
    }
    const made = recordsVolume({ records, space, news, now: clock.now, unique, owes, fetch: owes ? fetch : undefined })
    volumes.set(space, made)
    made.watch((path, event) => {
      if (made !== shown) return
      for (const listener of [...watchers]) listener(path, event)
      if (leads) wake()
      void count()
    })
    return made
  }

  const say = (change: Partial<Status>): void => {
    const next = { ...status, ...change }
    if (JSON.stringify(next) === JSON.stringify(status)) return
    status = next
    for (const listener of [...listeners]) listener(status)
  }
  const count = async (): Promise<void> => {
    const pending = (await shown?.records())?.filter(({ owed }) => owed !== null).length ?? 0
    say({ pending })
  }
  const show = async (volume: RecordsVolume): Promise<void> => {
    if (volume === shown) return
    const paths = async () => ((await shown?.records()) ?? []).filter(({ gone }) => !gone).map(({ path }) => path)
    const before = await paths()
    shown = volume
    for (const path of new Set([...before, ...(await paths())])) for (const listener of [...watchers]) listener(path, 'rename')
    await count()
  }

  // Whoever asks meanwhile waits for the answer, so that nothing is written under an account that may be gone.
  let round = 0
  const look = (): void => {
    const own = ++round
    const standing = spaces.identify().catch((): Standing | undefined => undefined)
    const grace = new Promise<undefined>(resolve => void clock.after(GRACE, () => resolve(undefined)))
    view = Promise.race([standing, grace]).then(async found =>
      volumeOf(found?.account === 'connected' || found?.account === 'disconnected' ? found.space : await fallback()),
    )
    void view.then(async volume => {
      if (own === round) await show(volume)
    })
    void standing.then(async found => {
      if (own !== round) return
      say({ account: found?.account ?? 'unknown' })
      if (found === undefined || found.account === 'unknown') return
      const volume = volumeOf(found.space)
      fallback = async () => found.space
      view = Promise.resolve(volume)
      await show(volume)
      wake()
    })
  }
  /** After a switch the files shown last are another person's. */
  const lookAfresh = (): void => {
    fallback = async () => NOBODY
    look()
  }
  look()
  const current = (): Promise<RecordsVolume> => view

  let isWoken = false
  let release = (): void => {}
  const wake = (): void => {
    isWoken = true
    release()
  }
  const pause = (milliseconds: number): Promise<void> =>
    new Promise(resolve => {
      const cancel = clock.after(milliseconds, resolve)
      release = () => {
        cancel()
        resolve()
      }
      if (isWoken) release()
    })
  const decide = (request: ConflictRequest): Promise<ConflictChoice> => ground.decide(request) ?? calls.promptConflict(request)
  const sync = syncOf({ records, calls, now: clock.now, unique, decide, settled: () => wake() })
  const adoption = adopting({ nobody: () => volumeOf(NOBODY), calls, spaces, now: clock.now, switches: () => switches, say: adopting => say({ adopting }) })

  /** One look at everything that is owed, the shown account's first. Answers the state it ends in. */
  const turn = async (): Promise<Pick<Status, 'state' | 'error' | 'waiting'>> => {
    const here = await current()
    let waiting = 0
    let outcome: { state: Status['state']; error: string | null } = { state: 'idle', error: null }
    for (const { id, pin } of (await spaces.all()).toSorted((a, b) => Number(b.id === here.space) - Number(a.id === here.space))) {
      const volume = volumeOf(id)
      const isOwing = (await volume.records()).some(({ owed }) => owed !== null)
      if (volume !== here && !isOwing) continue
      try {
        if (volume === here) await sync.pull(volume, pin)
        const fault = await sync.push(volume, pin)
        if (fault !== undefined && volume === here) outcome = { state: isCode(fault, 'ENOSPC') ? 'full' : 'failed', error: codeOf(fault) }
        if (volume === here) await sync.bring(volume)
      } catch (error) {
        if (volume === here && isCode(error, 'ACCOUNT_CHANGED')) lookAfresh()
        else if (volume === here && isCode(error, 'DENIED')) look()
        if (volume === here && !isCode(error, 'ACCOUNT_CHANGED'))
          outcome = { state: isCode(error, 'STORAGE_LOCKED', 'STALE_EPOCH') ? 'locked' : 'offline', error: codeOf(error) }
      }
      if (volume !== here) waiting += (await volume.records()).filter(({ owed }) => owed !== null).length
    }
    if (here.space === NOBODY && status.account !== 'disconnected') outcome = { state: 'offline', error: 'UNAVAILABLE' }
    return { ...outcome, waiting }
  }
  const lead = async (): Promise<void> => {
    leads = true
    // What cannot be swept now is swept by the next leader.
    void records.sweep().catch(() => undefined)
    let failures = 0
    for (;;) {
      if (!isWoken) await (await current()).reload().catch(() => undefined)
      isWoken = false
      if (status.account === 'unknown') look()
      say({ state: 'syncing' })
      signals.tell({ kind: 'state', state: { state: 'syncing' } })
      const ended = await turn().catch((error: unknown) => ({ state: 'offline' as const, error: codeOf(error), waiting: status.waiting }))
      const told = { ...ended, conflicts: sync.asking }
      say(told)
      await count()
      signals.tell({ kind: 'state', state: told })
      failures = ended.state === 'offline' ? failures + 1 : 0
      const until = failures === 0 ? LOOK : Math.min(LATE, SOON * 2 ** (failures - 1)) * (0.5 + ground.random() / 2)
      const rest = pause(until)
      await adoption.offer(await current(), ground.asksToAdopt())
      await rest
    }
  }

  signals.listen(message => {
    if (message.kind === 'state' && !leads) {
      say(message.state)
      if (status.account === 'unknown' && message.state.state === 'idle') look()
      void count()
    } else if (message.kind === 'wake' && leads) wake()
  })
  ground.onAccount(switched => {
    if (switched) switches++
    if (switched) lookAfresh()
    else wake()
    signals.tell({ kind: 'wake' })
  })
  ground.onOnline(() => {
    if (status.account === 'unknown') look()
    wake()
  })
  ground.lead(lead)

  const nudge = (): void => signals.tell({ kind: 'wake' })
  const open = (): Volume => {
    const at = current()
    const via =
      <A extends unknown[], R>(run: (volume: RecordsVolume, ...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> =>
        run(await at, ...args)
    return {
      stat: via((volume, path: string) => volume.stat(path)),
      children: via((volume, path: string) => volume.children(path)),
      below: via((volume, path: string) => volume.below(path)),
      read: via((volume, path: string, start?: number, end?: number) => volume.read(path, start, end)),
      write: via((volume, ...args: Parameters<Volume['write']>) => volume.write(...args)),
      makeDirectory: via((volume, path: string) => volume.makeDirectory(path)),
      remove: via((volume, path: string) => volume.remove(path)),
      move: via(async (volume, from: string, to: string) => volume.move?.(from, to)),
      exclusive: run => run(),
      watch: listener => {
        const own: Listener = (path, event) => listener(path, event)
        watchers.add(own)
        return () => void watchers.delete(own)
      },
    }
  }

  const onStatus: LocalFirst['onStatus'] = listener => {
    const own = (now: Status): void => listener(now)
    listeners.add(own)
    return () => void listeners.delete(own)
  }
  return {
    open,
    status: () => status,
    onStatus,
    sync: async () => {
      await current()
      const ended = new Promise<void>((resolve, reject) => {
        let begun = false
        const off = onStatus(({ state, pending, error }) => {
          if (state === 'syncing') begun = true
          else if (begun || state !== 'idle') {
            off()
            if (pending === 0 && state === 'idle') resolve()
            else reject(new FsError((error ?? 'CONFLICT') as ConstructorParameters<typeof FsError>[0]))
          }
        })
      })
      nudge()
      await ended
    },
    unlock: async () => {
      const opened = await calls.unlock()
      nudge()
      return opened
    },
    adopt: async () => adoption.ask(await current()),
  }
}

const codeOf = (error: unknown): string => (error instanceof FsError ? (error.deputyCode ?? error.code) : 'UNAVAILABLE')
