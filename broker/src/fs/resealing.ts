import { wait } from '../api/api.ts'
import type { AppIdentity } from '../app-identity.ts'
import { unlessRunning } from '../sessions/exclusive.ts'
import type { Store } from '../store/store.ts'
import type { KeyedActor } from './acting.ts'
import type { FileRow } from './entries.ts'
import { isRefusal } from './refused.ts'

/** What sealing files again stands on. */
export interface ResealingNeeds {
  readonly app: AppIdentity
  readonly store: Store
  /** Who acts now, with keys. @throws {RemoteError} */
  keyed(): Promise<KeyedActor>
  newestEpoch(): Promise<number | null | undefined>
  /** All files of the app. @throws {RemoteError} */
  rows(actor: KeyedActor): Promise<readonly FileRow[]>
  /** Seals one file again, unless it has changed since the row. @throws {RemoteError} */
  reseal(actor: KeyedActor, row: FileRow): Promise<unknown>
  readonly pause?: (ms: number) => Promise<unknown>
  readonly now?: () => number
}

/** Seals what was sealed under earlier keys again under the newest, in the background. */
export interface Resealing {
  /** The app makes a call: what goes on in the background stands back, or begins some time after it. */
  called(): void
  /** Another account acts, or other keys: what goes on ends, and what there is to do is looked for anew. */
  turned(): void
  /** Resolves once nothing goes on. */
  idle(): Promise<void>
}

const quietMs = 1500
/** An app that is never quiet for so long has its files sealed again all the same, at this rate. */
const patienceMs = 15_000
const betweenMs = 250
const againMs = 300_000

/** One walk at a time over one app's files, in whichever tab began it; where it cannot go on it begins again later, with a call. */
export function resealingWith({ app, store, keyed, newestEpoch, rows, reseal, pause = wait, now = Date.now }: ResealingNeeds): Resealing {
  let calledAt = 0
  let turn = 0
  let nextAt = 0
  let running: Promise<void> | undefined
  const doneKey = (account: string): string => `file-resealed:${account}:${app.id}`

  const quiet = async (): Promise<void> => {
    for (const until = now() + patienceMs; now() < until && now() < calledAt + quietMs;) await pause(quietMs)
  }
  const same = async (actor: KeyedActor, of: number): Promise<boolean> => {
    if (of !== turn || (await actor.token()) === null) return false
    const acting = await keyed()
    return acting.account === actor.account && acting.keys.epoch === actor.keys.epoch
  }
  const walk = async (of: number): Promise<void> => {
    const actor = await keyed()
    const { account, keys } = actor
    // Nothing is older than the first keys, and what was once done stays done: every write is under the newest.
    if (keys.epoch === 1 || (await store.get(doneKey(account))) === keys.epoch) return done()
    await quiet()
    if (of !== turn || (await newestEpoch()) !== keys.epoch) return
    const old = (await rows(actor)).filter(({ epoch }) => epoch < keys.epoch)
    // Small ones first: a large one takes long, and as much room again.
    for (const row of old.toSorted((one, other) => one.size - other.size)) {
      await quiet()
      if (!(await same(actor, of))) return
      await reseal(actor, row).catch((error: unknown) => {
        if (!passing.some(name => isRefusal(error, name))) throw error
      })
      await pause(betweenMs)
    }
    await store.set(doneKey(account), keys.epoch)
    done()
  }
  const done = (): void => {
    nextAt = Number.POSITIVE_INFINITY
  }
  const begin = (): void => {
    if (running !== undefined || now() < nextAt) return
    nextAt = now() + againMs
    const of = turn
    // Whatever is refused here, nobody asked for it.
    running = unlessRunning(`reseal:${app.id}`, () => walk(of))
      .catch(() => undefined)
      .then(() => {
        running = undefined
        if (of !== turn) begin()
      })
  }
  return {
    called: () => {
      calledAt = now()
      begin()
    },
    turned: () => {
      turn += 1
      nextAt = 0
      begin()
    },
    idle: async () => {
      while (running !== undefined) await running
    },
  }
}

/** What is wrong with one file alone: it changed or went meanwhile, or is not what it should be. */
const passing = ['changed', 'notFound', 'integrity'] as const
