import type { AdoptRequest, ConflictChoice, ConflictRequest, FileChanges, fs, FsErrorCode, VersionedEntry } from '@deputy/contract/fs'
import type { ConnectAvailability } from '@deputy/contract/connect'
import { isRefusal } from '@deputy/contract/refusals'
import type { Fail, Remote } from '@deputy/contract/shape'
import { FsError, refused } from './errors.ts'

/** What a broker serves of `cloud.fs`: an older one lacks members, told by presence. */
export type RemoteFs = Partial<Remote<typeof fs>>

/** `cloud.fs` as the file storage uses it: pinned, its refusals thrown, and what an older broker lacks done by its older members. */
export interface CloudCalls {
  /** Begins to take a pin at once. @throws {FsError} `PIN_UNSUPPORTED` */
  pin(): Promise<string>
  availability(): Promise<ConnectAvailability>
  changes(pin: string, cursor?: string): Promise<FileChanges>
  stat(pin: string, path: string): Promise<VersionedEntry | null>
  read(pin: string, path: string, start?: number, end?: number): Promise<Uint8Array<ArrayBuffer>>
  /** Answers the new version; `base` absent overwrites whatever is there. @throws {FsError} `CONFLICT` */
  write(pin: string, path: string, bytes: Uint8Array<ArrayBuffer>, contentType: string | null, base?: string | null): Promise<string>
  remove(pin: string, path: string, base?: string): Promise<void>
  unlock(): Promise<boolean>
  promptConflict(request: ConflictRequest): Promise<ConflictChoice>
  promptAdopt(request: AdoptRequest): Promise<boolean>
  setAdoptSource(next: AdoptRequest | null, run: (() => Promise<void>) | null): Promise<void>
}

/** A refusal becomes an error; everything else is the answer. */
export function answered<T>(answer: T): Exclude<T, Fail> {
  if (isRefusal(answer)) throw refused((answer as unknown as { readonly error: FsErrorCode }).error)
  return answer as Exclude<T, Fail>
}

/** Calls of the broker that `remote` reaches; without `accountPin` it is sent none. */
export function cloudCalls(remote: () => Promise<RemoteFs | undefined>): CloudCalls {
  /** What is served, or nothing where an account cannot be pinned: such a broker is sent no call (FS-3). */
  const reach = async (): Promise<RemoteFs> => {
    const served = await remote()
    if (served?.accountPin === undefined) throw new FsError('PIN_UNSUPPORTED')
    return served
  }
  const member = async <N extends keyof typeof fs>(name: N): Promise<NonNullable<Remote<typeof fs>[N]>> => {
    const found = (await reach())[name]
    if (found === undefined) throw new FsError('UNAVAILABLE')
    return found as NonNullable<Remote<typeof fs>[N]>
  }
  const optional = async <N extends keyof typeof fs>(name: N) => (await reach())[name]
  const listed = async (pin: string): Promise<VersionedEntry[]> => {
    const entries = answered(await (await member('list'))({ accountPin: pin }))
    // Good enough to notice another's write, which is all that an older broker can tell of.
    return entries.map(entry => ({ ...entry, version: `${entry.updatedAt}/${entry.size}`.slice(0, 64) }))
  }
  const stat = async (pin: string, path: string): Promise<VersionedEntry | null> => {
    const direct = await optional('stat')
    if (direct !== undefined) return answered(await direct(path, { accountPin: pin }))
    return (await listed(pin)).find(entry => entry.path === path) ?? null
  }
  const agree = async (pin: string, path: string, base: string | null | undefined): Promise<void> => {
    if (base !== undefined && ((await stat(pin, path))?.version ?? null) !== base) throw new FsError('CONFLICT')
  }

  return {
    pin: () => member('accountPin').then(take => take()),
    availability: async () => (await member('availability'))(),
    changes: async (pin, cursor) => {
      const direct = await optional('changes')
      if (direct !== undefined) return answered(await direct({ accountPin: pin, cursor }))
      return { cursor: '', entries: await listed(pin), removed: [], reset: true }
    },
    stat,
    read: async (pin, path, start, end) => {
      const range = start === undefined ? undefined : await optional('readRange')
      if (start !== undefined && range !== undefined) return answered(await range(path, { accountPin: pin, start, end }))
      const whole = answered(await (await member('readFile'))(path, { accountPin: pin }))
      return start === undefined ? whole : whole.slice(start, end)
    },
    write: async (pin, path, bytes, contentType, base) => {
      // A buffer that crosses is moved away from its owner.
      const own = bytes.slice()
      const conditional = await optional('writeFileIf')
      if (base !== undefined && conditional !== undefined) {
        return answered(await conditional(path, own, contentType, { accountPin: pin, base })).version
      }
      await agree(pin, path, base)
      answered(await (await member('writeFile'))(path, own, contentType, { accountPin: pin }))
      return base === undefined ? '' : ((await stat(pin, path))?.version ?? '')
    },
    remove: async (pin, path, base) => {
      const conditional = await optional('removeIf')
      if (base !== undefined && conditional !== undefined) answered(await conditional(path, { accountPin: pin, base }))
      else {
        await agree(pin, path, base)
        answered(await (await member('remove'))(path, { accountPin: pin }))
      }
    },
    unlock: async () => (await member('unlock'))(),
    promptConflict: async request => (await member('promptConflict'))(request),
    promptAdopt: async request => (await member('promptAdopt'))(request),
    setAdoptSource: async (next, run) => (await member('setAdoptSource'))(next, run),
  }
}
