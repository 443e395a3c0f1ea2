import type { FileChanges, FsErrorCode, StorageEntry, VersionedEntry } from '@deputy/contract/fs'
import type { ConnectAvailability } from '@deputy/contract/connect'
import type { Fail } from '@deputy/contract/shape'
import { ChannelError } from '@deputy/channel'
import type { RemoteFs } from './cloud-calls.ts'
import type { News } from './news.ts'

/** What stands in an account's cloud, in plain. */
interface Stored {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly contentType: string | null
  readonly version: string
  readonly updatedAt: string
  readonly changed: number
}
/** A write or a removal as it took place. */
export interface CloudWrite {
  readonly account: string
  readonly path: string
  /** What stood there before and after; `undefined` for nothing. */
  readonly before: string | undefined
  readonly after: string | undefined
}

/** The contract's file storage without network or keys: accounts of plain files, versions, changes, pins. For model tests only. */
export interface ModelCloud {
  /** The contents of an account, by path. */
  contents(account: string): Map<string, string>
  readonly writes: CloudWrite[]
  /** A device's broker. */
  device(account: string | null, pace?: () => Promise<void>): ModelDevice
}
/** One broker: who is signed in there, and how it can be reached. */
export interface ModelDevice {
  account: string | null
  /** `unknown`: the server cannot be reached; pins can be taken and compared all the same. */
  online: boolean
  locked: boolean
  readonly fs: RemoteFs & Required<Pick<RemoteFs, 'accountPin' | 'availability' | 'list' | 'readFile' | 'writeFile' | 'remove'>>
  onConflict: NonNullable<RemoteFs['promptConflict']>
  onAdopt: NonNullable<RemoteFs['promptAdopt']>
}

const fail = (error: FsErrorCode): Fail<FsErrorCode> => ({ error, message: `fs: ${error}` })

/** Nothing is stored. */
export function modelCloud(): ModelCloud {
  const accounts = new Map<string, Map<string, Stored>>()
  const removals = new Map<string, { readonly path: string; readonly changed: number }[]>()
  const writes: CloudWrite[] = []
  const begun = Date.now()
  let changed = 0
  const filesOf = (account: string) => {
    const found = accounts.get(account) ?? new Map<string, Stored>()
    accounts.set(account, found)
    return found
  }
  const decoded = (stored: Stored | undefined) => stored && new TextDecoder().decode(stored.bytes)
  const entry = (path: string, { bytes, contentType, version, updatedAt }: Stored): VersionedEntry => ({
    ...{ path, contentType, version, updatedAt },
    ...{ size: bytes.length, encryption: null },
  })

  const device: ModelCloud['device'] = (account, pace = async () => undefined) => {
    let pins = 0
    /** Runs a call that needs the server: the way there, its effect, and the way back, each of which may fail. */
    const call = async <T>(
      pin: string | undefined,
      run: (files: Map<string, Stored>, account: string) => T | Fail<FsErrorCode>,
    ): Promise<T | Fail<FsErrorCode>> => {
      await pace()
      if (pin !== undefined && pin.split('#')[0] !== (own.account ?? '')) return fail('account-changed')
      if (own.account === null) return fail('denied')
      if (own.locked) return fail('locked')
      if (!own.online) return fail('unavailable')
      const answer = run(filesOf(own.account), own.account)
      await pace()
      if (!own.online) throw new ChannelError('unavailable', 'lost')
      return answer
    }
    const put = (path: string, data: unknown, contentType: string | null, base: string | null | undefined) => (files: Map<string, Stored>, to: string) => {
      const before = files.get(path)
      if (base !== undefined && base !== (before?.version ?? null)) return fail('conflict')
      const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data as Uint8Array<ArrayBuffer>)
      const stored = { bytes, contentType, version: `v${++changed}`, updatedAt: new Date(begun + changed).toISOString(), changed }
      files.set(path, stored)
      writes.push({ account: to, path, before: decoded(before), after: decoded(stored) })
      return { version: stored.version, updatedAt: stored.updatedAt }
    }
    const drop = (path: string, base: string | null | undefined) => (files: Map<string, Stored>, to: string) => {
      const before = files.get(path)
      if (base !== undefined && base !== (before?.version ?? null)) return fail('conflict')
      if (before === undefined) return fail('not-found')
      files.delete(path)
      removals.set(to, [...(removals.get(to) ?? []), { path, changed: ++changed }])
      writes.push({ account: to, path, before: decoded(before), after: undefined })
      return undefined
    }
    const own: ModelDevice = {
      account,
      online: true,
      locked: false,
      onConflict: async () => null,
      onAdopt: async () => true,
      fs: {
        accountPin: async () => {
          const pin = `${own.account ?? ''}#${pins++}`
          await pace()
          return pin
        },
        availability: async (): Promise<ConnectAvailability> => {
          await pace()
          return own.account === null ? 'disconnected' : own.online ? 'connected' : 'unknown'
        },
        list: (options = {}) => call<StorageEntry[]>(options.accountPin, files => [...files].map(([path, stored]) => entry(path, stored))),
        readFile: (path, options = {}) => call(options.accountPin, files => files.get(path)?.bytes.slice() ?? fail('not-found')) as never,
        writeFile: (path, data, contentType, options = {}) =>
          call(options.accountPin, (files, to) => {
            put(path, data, contentType, undefined)(files, to)
            return undefined
          }) as never,
        remove: (path, options = {}) => call(options.accountPin, drop(path, undefined)) as never,
        stat: (path, options = {}) =>
          call(options.accountPin, files => {
            const stored = files.get(path)
            return stored === undefined ? null : entry(path, stored)
          }) as never,
        readRange: (path, { accountPin, start, end }) => call(accountPin, files => files.get(path)?.bytes.slice(start, end) ?? fail('not-found')) as never,
        writeFileIf: (path, data, contentType, { accountPin, base }) => call(accountPin, put(path, data, contentType, base)) as never,
        removeIf: (path, { accountPin, base }) => call(accountPin, drop(path, base)) as never,
        changes: ({ accountPin, cursor }) =>
          call<FileChanges>(accountPin, (files, to) => {
            const since = Number(cursor ?? 0)
            const entries = [...files].filter(([, stored]) => stored.changed > since).map(([path, stored]) => entry(path, stored))
            const removed = (removals.get(to) ?? []).filter(removal => removal.changed > since && !files.has(removal.path)).map(({ path }) => path)
            return { cursor: String(changed), entries, removed: since === 0 ? [] : [...new Set(removed)], reset: since === 0 }
          }),
        promptConflict: request => own.onConflict(request),
        promptAdopt: request => own.onAdopt(request),
        setAdoptSource: async () => undefined,
        unlock: async () => !(own.locked = false),
      },
    }
    return own
  }
  return {
    writes,
    device,
    contents: account => new Map([...filesOf(account)].map(([path, stored]) => [path, decoded(stored) ?? ''])),
  }
}

/** News within one process. */
export function modelNews(): News {
  const listeners = new Set<Parameters<News['listen']>[0]>()
  return {
    tell: (path, event) => {
      for (const listener of [...listeners]) listener(path, event)
    },
    listen: listener => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
