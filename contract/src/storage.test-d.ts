import type { Claims, Equal, Fits, Not } from './expect.test-d.ts'
import type {
  AdoptRequest,
  ConflictChoice,
  ConflictRequest,
  ConflictSide,
  EncryptionState,
  fs,
  FsErrorCode,
  SealedFile,
  StorageEntry,
  StorageQuota,
  WriteData,
} from './fs.ts'
import type { refuse } from './refusals.ts'
import type { Fail, Remote, Served } from './shape.ts'
import type {
  PutObject,
  storage,
  StorageErrorCode,
  StorageFail,
  StorageProgress,
  StoragePutOptions,
  StoragePutWire,
  StoredHandle,
  StoredObject,
  StoredPage,
} from './storage.ts'
import type { storageRefusals } from './storage-refusals.ts'

type App = Remote<typeof storage>
type Broker = Served<typeof storage>
type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>

export type StorageClaims = Claims<
  [
    Equal<StorageErrorCode, 'invalid' | 'not-found' | 'integrity' | 'denied' | 'quota' | 'too-many' | 'account-changed' | 'unavailable'>,
    Equal<StorageFail['error'], StorageErrorCode | 'aborted'>,
    Equal<StoredObject, { created: number; size: number; status: 'uploading' | 'ready'; url: string }>,
    Equal<PutObject, { created: number; size: number; status: 'uploading' | 'ready'; url: string; key: string }>,
    Equal<StoredPage, { cursor?: string; objects: StoredObject[] }>,
    Equal<StorageProgress, { loaded: number; total: number }>,
    Equal<StoredHandle['size'], number>,
    Equal<StoredHandle['read'], (start: number, end: number) => Promise<Bytes | StorageFail>>,
    Equal<App['available'], () => Promise<boolean>>,
    Equal<Awaited<ReturnType<App['put']>>, PutObject | StorageFail>,
    Equal<Awaited<ReturnType<App['get']>>, StoredHandle | StorageFail>,
    Equal<Awaited<ReturnType<App['list']>>, StoredPage | StorageFail>,
    Equal<Awaited<ReturnType<App['delete']>>, { ok: true } | StorageFail>,
    // What the app side may pass.
    Fits<[Blob, { accountPin: string }], Parameters<App['put']>>,
    Fits<
      [Bytes, { accountPin: string; size: number; signal: AbortSignal; key: string; onProgress: (progress: StorageProgress) => void }],
      Parameters<App['put']>
    >,
    Fits<StoragePutWire, Parameters<App['put']>[1]>,
    Fits<StoragePutWire, StoragePutOptions>,
    Fits<[string, string], Parameters<App['get']>>,
    Fits<[string, string, { signal: AbortSignal }], Parameters<App['get']>>,
    Fits<[{ accountPin: string; cursor: string; limit: number }], Parameters<App['list']>>,
    Fits<[string, { accountPin: string }], Parameters<App['delete']>>,
    Not<Fits<[Blob, { key: string }], Parameters<App['put']>>>,
    Not<Fits<[number, string], Parameters<App['get']>>>,
    // What the broker must check itself.
    Equal<Parameters<Broker['get']>[1], unknown>,
    Equal<Parameters<Broker['put']>[0], unknown>,
    Equal<Parameters<Broker['put']>[1]['accountPin'], string>,
    Equal<Parameters<Broker['list']>[0]['limit'], unknown>,
    // What the broker may answer.
    Fits<() => ReturnType<typeof refuse<(typeof storageRefusals.badKey)['code']>>, Broker['list']>,
    Fits<() => Promise<{ objects: readonly StoredObject[]; cursor: string | undefined }>, Broker['list']>,
    Not<Fits<() => Fail<'made-up'>, Broker['list']>>,
  ]
>

type Files = Remote<typeof fs>
type Refusable<T> = Promise<T | Fail<FsErrorCode>>

export type FileClaims = Claims<
  [
    Equal<StorageEntry, { contentType: string | null; encryption: string | null; path: string; size: number; updatedAt: string }>,
    Equal<StorageQuota, { limitBytes: number; maxObjects: number; objects: number; remaining: number; usedBytes: number }>,
    Equal<EncryptionState, { enrolled: boolean; keyEpoch: number | null; unlocked: boolean }>,
    Equal<AdoptRequest, { bytes: number; files: number }>,
    Equal<ConflictSide, { size: number; updatedAt: string | null }>,
    Equal<ConflictRequest, { cloud: ConflictSide; local: ConflictSide; path: string }>,
    Equal<ConflictChoice, 'local' | 'cloud' | null>,
    Equal<WriteData, string | ArrayBuffer | Uint8Array<ArrayBuffer>>,
    Equal<SealedFile, { bytes: Uint8Array<ArrayBuffer>; sealedAt: number | null }>,
    // A broker without pins lacks the member, and the type says so.
    Equal<Files['accountPin'], (() => Promise<string>) | undefined>,
    Equal<Files['unlock'], () => Promise<boolean>>,
    Equal<Files['encryption'], () => Promise<EncryptionState>>,
    Fits<Files['promptConflict'], (request: ConflictRequest) => Promise<ConflictChoice>>,
    Equal<ReturnType<Files['list']>, Refusable<StorageEntry[]>>,
    Equal<ReturnType<Files['readFile']>, Refusable<Uint8Array<ArrayBuffer>>>,
    Equal<ReturnType<Files['readFileSealed']>, Refusable<SealedFile>>,
    Fits<[path: string, data: string, contentType: null], Parameters<Files['writeFile']>>,
    Fits<[path: string, data: ArrayBuffer, contentType: string, { accountPin: string }], Parameters<Files['writeFile']>>,
    Fits<[null, null], Parameters<Files['setAdoptSource']>>,
    Fits<[{ bytes: number; files: number }, () => Promise<void>], Parameters<Files['setAdoptSource']>>,
    Fits<Omit<Served<typeof fs>, 'accountPin'>, Served<typeof fs>>,
  ]
>
