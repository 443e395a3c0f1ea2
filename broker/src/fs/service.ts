import { removeFile, readFileUsage, SMALL_FILE_BYTES } from '@deputy/contract/api-files'
import { readUsage } from '@deputy/contract/api-objects'
import type { ConnectAvailability } from '@deputy/contract/connect'
import type { AccountPinOptions, fs, WriteData } from '@deputy/contract/fs'
import type { Served } from '@deputy/contract/shape'
import { fileName } from '@deputy/seal'
import { wait } from '../api/api.ts'
import type { AppIdentity } from '../app-identity.ts'
import type { Prompts } from '../prompts.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Store } from '../store/store.ts'
import { actingOf, type Acting, type ActingNeeds, type KeyedActor } from './acting.ts'
import { adoptingWith } from './adopting.ts'
import { changesFrom } from './changes.ts'
import { entryTold, openedEntries, openedMeanwhile, stateOf, versionedTold } from './entries.ts'
import { keptRows } from './kept-rows.ts'
import { filePath } from './paths.ts'
import { findRow, openStream, readPart, readWhole } from './read.ts'
import { isRefusal, refusal, told } from './refused.ts'
import { resealingWith } from './resealing.ts'
import { sealedAgain, stateIn, stateText, type FileState } from './state-text.ts'
import { versionsIn } from './versions.ts'
import type { Base } from './wire.ts'
import { writeFile, type Sealing, type WriteNeeds } from './write.ts'

const patience = 3500

/** Whether the app's account is connected, as far as anybody can say within 4 s. */
export async function availabilityOf(sessions: Sessions): Promise<ConnectAvailability> {
  if ((await sessions.current()) === null) return 'disconnected'
  const outcome = await Promise.race([sessions.call(readUsage, {}, { deadline: patience }), wait(patience)])
  if (outcome?.kind === 'answer') return 'connected'
  return outcome?.kind === 'unauthorized' ? 'disconnected' : 'unknown'
}

/** What `cloud.fs` stands on. */
export interface FsNeeds extends ActingNeeds, Pick<WriteNeeds, 'uploader'> {
  readonly app: AppIdentity
  readonly store: Store
  readonly prompts: Pick<Prompts, 'adopt' | 'conflict'>
}

/** `cloud.fs` for one app: files sealed in this browser before they leave it. No call but `unlock` and the two prompts raises a card. */
export function fsService(needs: FsNeeds): Served<typeof fs> {
  const { app, sessions, pins, keys, store, prompts, uploader } = needs
  const finding = actingOf(needs)
  const entries = openedEntries()
  const rows = keptRows()
  const versions = versionsIn(store, app.id)
  const reading = { entries, versions }
  const writing: WriteNeeds = { keys, versions, uploader, now: Date.now }
  const inTurn = oneByOne()
  const resealing = resealingWith({
    app,
    store,
    keyed: async () => finding.keyed(await finding.begin(undefined)),
    newestEpoch: () => keys.newestEpoch(),
    rows: actor => rows.all(actor),
    reseal: async (actor, row) => {
      const [opened] = await entries.open(actor, [row])
      if (opened === undefined) throw refusal('integrity')
      const { path, contentType } = opened.entry
      if (row.size > SMALL_FILE_BYTES) {
        // Not in turn: the app's own write would wait for all of it, and whichever comes second is refused.
        const { size: length, sealedAt, read } = await openStream(actor, opened, reading)
        return writeFile(actor, { path, bytes: { length, stream: () => read(0, length) }, contentType, base: row.version, sealedAt }, writing)
      }
      return inTurn(`${actor.account} ${path}`, async () => {
        const { bytes, sealedAt } = await readWhole(actor, path, reading)
        // The time stays: it says when the bytes were written, not when they were sealed again.
        return writeFile(actor, { path, bytes, contentType, base: row.version, sealedAt }, writing)
      })
    },
  })
  sessions.onChange(({ switched }) => {
    if (!switched) return
    entries.clear()
    rows.clear()
    resealing.turned()
  })
  keys.onChange(() => resealing.turned())
  const acting: Acting = {
    begin: async options => {
      const actor = await finding.begin(options)
      resealing.called()
      return actor
    },
    keyed: finding.keyed,
  }

  /** Does it to the state that is meant; where that was sealed again meanwhile, to what it is now. */
  const onState = async <T>(actor: KeyedActor, path: string, state: FileState, run: (version: number) => Promise<T>): Promise<T> => {
    try {
      return await run(state.version)
    } catch (error) {
      const now = isRefusal(error, 'changed') ? await findRow(actor, path, reading) : null
      if (now === null || !sealedAgain(state, stateOf(now))) throw error
      return run(now.row.version)
    }
  }

  /** Whom the call acts for and where: first the pin, then the path, then the keys. */
  const begin = async (path: string, options: AccountPinOptions | undefined): Promise<{ actor: KeyedActor; path: string }> => {
    const actor = await acting.begin(options)
    const normal = filePath(path)
    if (normal === null) throw refusal('badPath')
    return { actor: await acting.keyed(actor), path: normal }
  }
  const write = async (
    given: string,
    data: WriteData,
    contentType: string | null,
    base: () => 'any' | 'none' | FileState,
    options: AccountPinOptions | undefined,
  ) => {
    const { actor, path } = await begin(given, options)
    const file = { path, bytes: bytesOf(data), contentType }
    const there = base()
    const onto = (version: Base): Promise<Sealing> => writeFile(actor, { ...file, base: version }, writing)
    return inTurn(`${actor.account} ${path}`, () => (typeof there === 'string' ? onto(there) : onState(actor, path, there, onto)))
  }
  const remove = async (given: string, base: string | undefined, options: AccountPinOptions | undefined): Promise<void> => {
    const { actor, path } = await begin(given, options)
    const name = await fileName(actor.keys, path)
    const state = base === undefined ? null : stateIn(base)
    const removed = (version?: number): Promise<void> => removeNamed(actor, name, version)
    await inTurn(`${actor.account} ${path}`, () => (state === null ? removed() : onState(actor, path, state, removed)))
  }

  return {
    accountPin: () => pins.take(),
    availability: () => availabilityOf(sessions),
    available: async () => (await availabilityOf(sessions)) === 'connected',
    encryption: () => keys.state(),
    unlock: () => keys.unlock(),

    quota: () =>
      told(async () => {
        const actor = await acting.begin(undefined)
        const { usedBytes, limitBytes, files, maxFiles } = await actor.call(readFileUsage, {})
        return { usedBytes, limitBytes, remaining: Math.max(0, limitBytes - usedBytes), objects: files, maxObjects: maxFiles }
      }),

    list: options =>
      told(async () => {
        const actor = await acting.keyed(await acting.begin(options))
        const floor = await versions.ofAll(actor.account)
        try {
          const files = await openedMeanwhile(entries, actor, onRows => rows.all(actor, onRows))
          const unknown = files.filter(row => floor.accept(row))
          const opened = await entries.open(actor, files)
          void versions.note(actor.account, unknown)
          return opened.map(entryTold).toSorted((one, other) => (one.path < other.path ? -1 : 1))
        } catch (error) {
          rows.clear()
          throw error
        }
      }),
    changes: ({ accountPin, cursor }) =>
      told(async () => {
        const actor = await acting.keyed(await acting.begin(accountPin === undefined ? undefined : { accountPin }))
        return changesFrom(actor, cursor, reading)
      }),
    stat: (given, options) =>
      told(async () => {
        const { actor, path } = await begin(given, options)
        const opened = await findRow(actor, path, reading)
        return opened === null ? null : versionedTold(opened)
      }),

    readFile: (given, options) =>
      told(async () => {
        const { actor, path } = await begin(given, options)
        return (await readWhole(actor, path, reading)).bytes
      }),
    readFileSealed: (given, options) =>
      told(async () => {
        const { actor, path } = await begin(given, options)
        return readWhole(actor, path, reading)
      }),
    readRange: (given, { start, end, ...pin }) =>
      told(async () => {
        const { actor, path } = await begin(given, pin)
        return readPart(actor, path, start, end ?? Number.MAX_SAFE_INTEGER, reading)
      }),

    writeFile: (path, data, contentType, options) =>
      told(async () => {
        await write(path, data, contentType, () => 'any', options)
      }),
    writeFileIf: (path, data, contentType, { base, ...pin }) =>
      told(async () => writtenTold(await write(path, data, contentType, () => (base === null ? 'none' : stateIn(base)), pin))),
    remove: (path, options) => told(() => remove(path, undefined, options)),
    removeIf: (given, { base, ...pin }) =>
      told(async () => {
        if (base !== null) return remove(given, base, pin)
        // There must be no file, and none is to be left.
        const { actor, path } = await begin(given, pin)
        if ((await findRow(actor, path, reading)) !== null) throw refusal('changed')
      }),

    ...adoptingWith({ app, prompts, sessions }),
  }
}

const writtenTold = ({ updatedAt, ...state }: Sealing) => ({ updatedAt: new Date(updatedAt).toISOString(), version: stateText(state) })

const utf8 = new TextEncoder()

function bytesOf(data: WriteData): Uint8Array<ArrayBuffer> {
  if (typeof data === 'string') return utf8.encode(data)
  if (data instanceof ArrayBuffer) return new Uint8Array(data)
  if (data instanceof Uint8Array) return data
  throw refusal('badFile')
}

async function removeNamed(actor: KeyedActor, name: string, base: number | undefined): Promise<void> {
  const body = base === undefined ? { name } : { name, base }
  try {
    await actor.call(removeFile, body)
  } catch (error) {
    if (!isRefusal(error, 'unavailable')) throw error
    // Nobody answered, and it may have come through: then there is nothing left to remove.
    await actor.call(removeFile, body, { repeatable: true }).catch((second: unknown) => {
      if (!isRefusal(second, 'notFound')) throw second
    })
  }
}

// Writes to one path land in the order they were asked for.
function oneByOne(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work)
    last.set(key, turn)
    const over = (): void => {
      if (last.get(key) === turn) last.delete(key)
    }
    turn.then(over, over)
    return turn
  }
}
