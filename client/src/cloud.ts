import {
  fs as namespace,
  type AdoptRequest,
  type ConflictChoice,
  type ConflictRequest,
  type EncryptionState,
  type SealedFile,
  type StorageEntry,
  type StorageQuota,
  type VersionedEntry,
  type WriteData,
} from '@deputy/contract/fs'
import type { ConnectAvailability } from '@deputy/contract/connect'
import type { Fail, Remote } from '@deputy/contract/shape'
import { further } from './further.ts'
import { answered } from './fs/cloud-calls.ts'
import { FsError, type Place, placed } from './fs/errors.ts'

export { FsError, type DeputyCode, type FsCode, type NodeCode } from './fs/errors.ts'
export type {
  AdoptRequest,
  ConflictChoice,
  ConflictRequest,
  ConflictSide,
  EncryptionState,
  SealedFile,
  StorageEntry,
  StorageQuota,
  VersionedEntry,
  WriteData,
} from '@deputy/contract/fs'

export {
  dns,
  fetch,
  promptRelay,
  quota,
  TunnelError,
  type AddressLookupResult,
  type DnsLookupOptions,
  type ProxyFetchInit,
  type Quota,
  type TunnelErrorCode,
} from './tunnel.ts'

const tree = further({ cloud: { fs: namespace } })

/** A pin taken earlier; without it the call is pinned to the account signed in when it is made. */
export type Pinned = { readonly accountPin?: string | undefined }

type Fs = Remote<typeof namespace>
/** What a conditional write answers. */
export type Written = Exclude<Awaited<ReturnType<NonNullable<Fs['writeFileIf']>>>, Fail>

/** `cloud.fs`, or what a broker that cannot pin is told in its place: nothing. @throws {FsError} `PIN_UNSUPPORTED` (FS-3) */
async function served(): Promise<Fs> {
  const { cloud } = await tree()
  if (cloud?.fs.accountPin === undefined) throw new FsError('PIN_UNSUPPORTED')
  return cloud.fs
}

/** One pinned call; the pin is asked for before anything else is waited for (FS-2). */
async function pinned<T>(place: Place, options: Pinned, run: (fs: Fs, options: { readonly accountPin: string }) => Promise<T>): Promise<Exclude<T, Fail>> {
  const asked = served()
  const pin = options.accountPin === undefined ? asked.then(({ accountPin }) => accountPin?.() ?? '') : Promise.resolve(options.accountPin)
  try {
    const [fs, accountPin] = await Promise.all([asked, pin])
    return answered(await run(fs, { accountPin }))
  } catch (error) {
    throw placed(error, place)
  }
}

/** What a broker may be too old to serve. */
function member<N extends 'stat' | 'writeFileIf'>(fs: Fs, name: N): NonNullable<Fs[N]> {
  const found = fs[name]
  if (found === undefined) throw new FsError('UNAVAILABLE')
  return found as NonNullable<Fs[N]>
}

async function plain<T>(run: (fs: Fs) => Promise<T>): Promise<Exclude<T, Fail>> {
  try {
    return answered(await run(await served()))
  } catch (error) {
    throw placed(error, {})
  }
}

/** The encrypted file storage of the account, per app: the contract's calls as they are, with their refusals thrown as `FsError`. */
export const fs = {
  /** A fresh pin of the account signed in now (FS-1). */
  accountPin: (): Promise<string> => plain(async ({ accountPin }) => accountPin?.() ?? ''),
  /** `disconnected` is an answer, `unknown` means that nobody was asked (FS-4). */
  availability: (): Promise<ConnectAvailability> => plain(fs => fs.availability()),
  available: (): Promise<boolean> => plain(fs => fs.available()),
  /** Whether the account has keys, and whether they are here (FS-5). */
  encryption: (): Promise<EncryptionState> => plain(fs => fs.encryption()),
  /** Opens the storage, by a window of the broker; call it from a click (FS-5). */
  unlock: (): Promise<boolean> => plain(fs => fs.unlock()),
  list: (options: Pinned = {}): Promise<StorageEntry[]> => pinned({ syscall: 'list' }, options, (fs, pin) => fs.list(pin)),
  readFile: (path: string, options: Pinned = {}): Promise<Uint8Array<ArrayBuffer>> =>
    pinned({ syscall: 'open', path }, options, (fs, pin) => fs.readFile(path, pin)),
  /** The bytes, and when their writer says to have sealed them (FS-8). */
  readFileSealed: (path: string, options: Pinned = {}): Promise<SealedFile> =>
    pinned({ syscall: 'open', path }, options, (fs, pin) => fs.readFileSealed(path, pin)),
  /** Writes the whole file as `data` is now, whatever was there; the buffer stays the caller's. */
  writeFile: (path: string, data: WriteData, contentType: string | null = null, options: Pinned = {}): Promise<void> => {
    // What crosses to the broker is moved, and what a caller hands over is not the caller's to lose.
    const own = typeof data === 'string' ? data : data.slice(0)
    return pinned({ syscall: 'open', path }, options, (fs, pin) => fs.writeFile(path, own, contentType, pin))
  },
  /** The file's row with its version, null where there is none. @throws {FsError} `UNAVAILABLE` of a broker that has no versions */
  stat: (path: string, options: Pinned = {}): Promise<VersionedEntry | null> =>
    pinned({ syscall: 'stat', path }, options, (fs, pin) => member(fs, 'stat')(path, pin)),
  /** Writes the whole file on top of the version `base`, or where none is with null, and answers the new version. @throws {FsError} `CONFLICT`; `UNAVAILABLE` of a broker that has no versions */
  writeFileIf: (
    path: string,
    data: WriteData,
    contentType: string | null,
    { base, ...options }: Pinned & { readonly base: string | null },
  ): Promise<Written> => {
    const own = typeof data === 'string' ? data : data.slice(0)
    return pinned({ syscall: 'open', path }, options, (fs, pin) => member(fs, 'writeFileIf')(path, own, contentType, { ...pin, base }))
  },
  remove: (path: string, options: Pinned = {}): Promise<void> => pinned({ syscall: 'unlink', path }, options, (fs, pin) => fs.remove(path, pin)),
  quota: (): Promise<StorageQuota> => plain(fs => fs.quota()),
  /** Asks the person whether files of this browser are taken into the account (FS-10). */
  promptAdopt: (request: AdoptRequest): Promise<boolean> => plain(fs => fs.promptAdopt(request)),
  /** Names what waits to be taken, and who takes it when the person says so in the broker (FS-10). */
  setAdoptSource: (next: AdoptRequest | null, run: (() => Promise<void>) | null): Promise<void> => plain(fs => fs.setAdoptSource(next, run)),
  /** Asks the person which side of a conflict is kept (FS-11). */
  promptConflict: (request: ConflictRequest): Promise<ConflictChoice> => plain(fs => fs.promptConflict(request)),
}
