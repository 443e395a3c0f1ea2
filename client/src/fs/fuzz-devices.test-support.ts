import { seeded } from '../../../tests/support/seeded.ts'
import { type HandClock, handClock } from '../../../tests/support/hand-clock.ts'
import { cloudCalls } from './cloud-calls.ts'
import { type FileSystem, fileSystem } from './file-system.ts'
import { type LocalFirst, localFirst } from './local-first.ts'
import { memoryRecords } from './memory-records.test-support.ts'
import { modelCloud, type ModelCloud, type ModelDevice } from './model-cloud.test-support.ts'
import type { FileRecord, Records } from './records.ts'
import type { Space } from './spaces.ts'
import type { Signal } from './status.ts'

/** One tab: its files, and its end, after which nothing of it has any effect. */
export interface Tab {
  readonly name: string
  readonly device: Device
  readonly files: FileSystem
  readonly local: LocalFirst
  /** What this tab has read or written at a path. */
  readonly saw: Map<string, Set<string>>
  crash(): void
}
/** One browser: what is durable in it, its broker, its tabs. */
export interface Device {
  readonly name: string
  readonly broker: ModelDevice
  readonly records: Records
  readonly tabs: Set<Tab>
  open(): Tab
  /** The broker changes the account and tells the tabs, each in its time. */
  signIn(account: string | null): void
  online(isOnline: boolean): void
  /** The account a space belongs to; `null` is nobody's. */
  ownerOf(space: string): Promise<string | null>
  recordsOf(space: string): Promise<readonly FileRecord[]>
  spaces(): Promise<readonly Space[]>
}
/** What a commit made of a file. */
export interface Observed {
  readonly device: Device
  readonly tab: Tab
  readonly space: string
  readonly path: string
  readonly before: FileRecord | undefined
  readonly after: FileRecord | undefined
}

export interface World {
  readonly clock: HandClock
  readonly random: () => number
  readonly cloud: ModelCloud
  device(name: string, account: string | null): Device
  /** Moves time on and lets everything happen that falls due. */
  pass(milliseconds: number): Promise<void>
}

const hang = (): Promise<never> => new Promise(() => {})

/** Browsers and a cloud that move only as they are told, the same way for the same seed. `observe` is told of every commit as it takes place. */
export function world(seed: number, observe: (commit: Observed) => void): World {
  const random = seeded(seed)
  const clock = handClock()
  const cloud = modelCloud()
  let names = 0
  const wait = (most: number): Promise<void> =>
    random() < 0.5 ? Promise.resolve() : new Promise(resolve => void clock.after(Math.floor(random() * most), resolve))

  const device: World['device'] = (name, account) => {
    const records = memoryRecords()
    const broker = cloud.device(account, () => wait(40))
    const tabs = new Set<Tab>()
    const online = new Map<Tab, () => void>()
    const accounts = new Map<Tab, (switched: boolean) => void>()
    const signals = new Map<Tab, Set<(message: Signal) => void>>()
    const listening = new Map<Tab, Set<(path: string, event: 'rename' | 'change') => void>>()
    const untold = new Set<Tab>()
    const tellAccount = (tab: Tab): void => {
      if (untold.delete(tab) && tabs.has(tab)) accounts.get(tab)?.(true)
    }
    const locks = { alone: lock(), lead: lock() }

    const open = (): Tab => {
      const tab: Tab = {
        name: `${name}.${names++}`,
        device: own,
        saw: new Map(),
        crash: () => {
          tabs.delete(tab)
          for (const { end } of Object.values(locks)) end(tab)
        },
        get files() {
          return files
        },
        get local() {
          return local
        },
      }
      tabs.add(tab)
      /** A tab that is gone hears of nothing any more. */
      const alive = async <T>(promise: Promise<T>): Promise<T> => {
        const settled = await promise.then(
          value => ({ value }),
          (error: unknown) => ({ error }),
        )
        if (!tabs.has(tab)) return hang()
        if ('error' in settled) throw settled.error
        return settled.value
      }
      const later = (tell: (to: Tab) => void): void => {
        for (const other of tabs) {
          if (other === tab) tell(other)
          else clock.after(Math.floor(random() * 5), () => tabs.has(other) && tell(other))
        }
      }
      const listeners = <L>(kept: Map<Tab, Set<L>>, listener: L): (() => void) => {
        const set = kept.get(tab) ?? new Set()
        kept.set(tab, set.add(listener))
        return () => void set.delete(listener)
      }
      const call = Object.fromEntries(
        Object.entries(broker.fs).map(([key, run]) => {
          const begin = run as (...args: readonly unknown[]) => Promise<unknown>
          // One port carries both: what the broker told before it answered is heard before the answer.
          return [key, (...args: readonly unknown[]) => alive(begin(...args).finally(() => tellAccount(tab)))]
        }),
      )
      const local = localFirst({
        calls: cloudCalls(async () => call),
        records: {
          load: space => alive(records.load(space)),
          get: (space, path) => alive(records.get(space, path)),
          commit: async (space, edits, values) => {
            await alive(wait(4))
            const before: (FileRecord | undefined)[] = []
            const seen = edits.map((edit, index) => ({
              ...edit,
              make: (stored: FileRecord | undefined) => {
                before[index] = stored
                return edit.make(stored)
              },
            }))
            const after = await records.commit(space, seen, values)
            edits.forEach(({ path }, index) => {
              if (before[index] !== after[index]) observe({ device: own, tab, space, path, before: before[index], after: after[index] })
            })
            await alive(wait(4))
            return alive(Promise.resolve(after))
          },
          content: (key, start, end) => alive(records.content(key, start, end)),
          sweep: () => alive(records.sweep()),
          value: key => alive(records.value(key)),
          setValue: (key, value) => alive(records.setValue(key, value)),
        },
        news: {
          tell: (path, event) => later(to => [...(listening.get(to) ?? [])].forEach(listener => listener(path, event))),
          listen: listener => listeners(listening, listener),
        },
        signals: {
          tell: message => later(to => [...(signals.get(to) ?? [])].forEach(listener => listener(message))),
          listen: listener => listeners(signals, listener),
        },
        clock: { now: () => clock.now(), after: (milliseconds, task) => clock.after(milliseconds, () => tabs.has(tab) && task()) },
        unique: () => `${tab.name}-${names++}`,
        random,
        alone: run => locks.alone.run(tab, run),
        lead: task => void locks.lead.run(tab, task),
        onAccount: listener => void accounts.set(tab, listener),
        onOnline: listener => void online.set(tab, listener),
        decide: () => undefined,
        asksToAdopt: () => true,
      })
      const files = fileSystem(local.open)
      return tab
    }
    const own: Device = {
      name,
      broker,
      records,
      tabs,
      open,
      signIn: next => {
        if (broker.account === next) return
        broker.account = next
        for (const tab of tabs) {
          untold.add(tab)
          clock.after(Math.floor(random() * 10), () => tellAccount(tab))
        }
      },
      online: isOnline => {
        broker.online = isOnline
        if (isOnline) for (const tab of tabs) online.get(tab)?.()
      },
      ownerOf: async space => (await own.spaces()).find(({ id }) => id === space)?.pin.split('#')[0] ?? null,
      recordsOf: space => records.load(space),
      spaces: async () => ((await records.value('spaces')) ?? []) as readonly Space[],
    }
    return own
  }
  return {
    clock,
    random,
    cloud,
    device,
    pass: async milliseconds => {
      for (let left = milliseconds; left > 0; left -= 5) {
        clock.pass(Math.min(5, left))
        await new Promise(resolve => setImmediate(resolve))
      }
    },
  }
}

/** A lock whose holder may die. */
function lock() {
  const waiting: { readonly tab: Tab; begin(): void }[] = []
  let holder: Tab | undefined
  const next = (): void => {
    const first = waiting.shift()
    holder = first?.tab
    first?.begin()
  }
  return {
    run: async <T>(tab: Tab, task: () => Promise<T>): Promise<T> => {
      if (holder === undefined) holder = tab
      else await new Promise<void>(begin => waiting.push({ tab, begin }))
      try {
        return await task()
      } finally {
        next()
      }
    },
    end: (tab: Tab): void => {
      for (let at = waiting.length - 1; at >= 0; at--) if (waiting[at]?.tab === tab) waiting.splice(at, 1)
      if (holder === tab) next()
    },
  }
}
