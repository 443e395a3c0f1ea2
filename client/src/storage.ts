import { byteStreams, ChannelError, learn } from '@deputy/channel'
import { isRefusal, refuse } from '@deputy/contract/refusals'
import type { PutObject, StorageErrorCode, StorageFail, StoragePutOptions, StoredPage } from '@deputy/contract/storage'
import { storageRefusals } from '@deputy/contract/storage-refusals'
import { broker, served } from './broker.ts'

export type { StorageErrorCode, StorageProgress, StoragePutOptions, StoredObject, StoredPage } from '@deputy/contract/storage'

/** A refused storage call. Branch on `code`, never on the message. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly code: StorageErrorCode
  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** An opened object: its plain size, and its bytes from `start` to `end` exclusive, each record checked before it is handed over (OBJ-9, OBJ-10). */
export interface StoredFile {
  readonly size: number
  read(start?: number, end?: number): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>
}

type Options = { readonly signal?: AbortSignal | undefined }

/** Whether objects can be stored now: the service is there and an account is connected (OBJ-1). */
export async function available(): Promise<boolean> {
  const { storage, cloud } = await broker()
  return storage !== undefined && cloud?.fs.accountPin !== undefined && storage.available()
}

/**
 * Seals the data in the browser and stores it (OBJ-2). `key` is minted when absent and answered; whoever holds url and key can read
 * the object, so keep the key out of logs and put it behind a `#` when sharing a link.
 * @throws {StorageError} and, once `signal` fires, the signal's reason (OBJ-5).
 */
export async function put(data: Blob | ReadableStream<Uint8Array>, options: StoragePutOptions = {}): Promise<PutObject> {
  options.signal?.throwIfAborted()
  if (!(data instanceof Blob) && !(data instanceof ReadableStream)) throw errorOf(refuse(storageRefusals.notAFile), options)
  return attempt(options, async () => {
    const { storage, accountPin } = await pinned()
    return storage.put(data as Blob, { ...options, accountPin })
  })
}

/** Opens a stored object with its key; needs no account (OBJ-9). @throws {StorageError} */
export async function get(url: string, key: string, options: Options = {}): Promise<StoredFile> {
  options.signal?.throwIfAborted()
  const handle = await attempt(options, async () => (await service()).get(url, key, options))
  return {
    size: handle.size,
    read: (start = 0, end = handle.size) => attempt(options, () => handle.read(start, end)),
  }
}

/** This app's objects, newest first; `cursor` is there only while more remain (OBJ-11). @throws {StorageError} */
export async function list(options: { readonly cursor?: string | undefined; readonly limit?: number | undefined } = {}): Promise<StoredPage> {
  return attempt({}, async () => {
    const { storage, accountPin } = await pinned()
    return storage.list({ ...options, accountPin })
  })
}

/** Deletes an object this app stored (OBJ-12). Links to it stop working at once. @throws {StorageError} */
export async function remove(url: string): Promise<void> {
  await attempt({}, async () => {
    const { storage, accountPin } = await pinned()
    return storage.delete(url, { accountPin })
  })
}
export { remove as delete }

async function service() {
  learn(byteStreams)
  return served('storage')
}

/** The storage namespace and a fresh pin; a broker that cannot pin is sent no call that needs an account (VER-2). */
async function pinned() {
  const [storage, { cloud }] = await Promise.all([service(), broker()])
  const pin = cloud?.fs.accountPin
  if (pin === undefined) throw new StorageError('unavailable', 'storage: this broker is too old to pin an account')
  return { storage, accountPin: await pin() }
}

async function attempt<T>(options: Options, run: () => Promise<T>): Promise<Exclude<T, StorageFail>> {
  let answer: T
  try {
    answer = await run()
  } catch (error) {
    if (error instanceof ChannelError) throw new StorageError('unavailable', storageRefusals.unavailable.message, { cause: error })
    throw error
  }
  if (isRefusal(answer)) throw errorOf(answer as StorageFail, options)
  return answer as Exclude<T, StorageFail>
}

function errorOf(refusal: StorageFail, { signal }: Options): unknown {
  if (refusal.error === 'aborted') return signal?.reason ?? new DOMException('The operation was aborted.', 'AbortError')
  return new StorageError(refusal.error, refusal.message)
}
