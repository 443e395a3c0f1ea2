import { abortObject, completeObject, reserveObject } from '@deputy/contract/api-objects'
import type { RouteAnswer } from '@deputy/contract/api'
import type { PutObject, StorageFail, StorageProgress } from '@deputy/contract/storage'
import { mintObjectId, mintObjectKey, parseObjectKey } from '@deputy/seal'
import type { SiteConfig } from '@deputy/contract/site-config'
import { apiAt } from '../api/api.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'
import { aborted, refused, refusedBy, refusedUpload } from './refused.ts'
import type { Uploader } from '../transfer/uploader.ts'

/** The options of a put that is already known to act for the pinned account. */
export interface PutOptions {
  readonly key?: unknown
  readonly size?: unknown
  readonly onProgress?: ((progress: StorageProgress) => Promise<unknown>) | undefined
  readonly signal?: AbortSignal | undefined
}

/** What a put stands on. */
export interface PutNeeds {
  readonly site: SiteConfig
  readonly session: Session
  readonly sessions: Sessions
  readonly uploader: Uploader
}

type Reservation = RouteAnswer<typeof reserveObject>

/** Seals and stores a file under the account of the session. Whatever ends it early gives the reservation back. */
export async function putObject(data: unknown, options: PutOptions, needs: PutNeeds): Promise<PutObject | StorageFail> {
  if (!(data instanceof Blob) && !(data instanceof ReadableStream)) return refused('notAFile')
  const fail = (refusal: StorageFail): StorageFail => {
    // The app's side of the stream is let go of.
    if (data instanceof ReadableStream && !data.locked) data.cancel().catch(() => undefined)
    return refusal
  }
  const key = options.key === undefined ? mintObjectKey() : options.key
  if (!isKey(key)) return fail(refused('badKey'))
  const size = data instanceof Blob ? data.size : options.size
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return fail(refused('badSize'))

  const ending = watch(options.signal, needs)
  try {
    const work = store({ key, size, source: data, onProgress: options.onProgress }, ending, needs)
    // A sign-out waits a moment, so that the reservation is given back while the token still works.
    needs.sessions.lastWork(work)
    const answer = await work
    return 'error' in answer ? fail(answer) : answer
  } finally {
    ending.end()
  }
}

/** Whether a text is an object key: 32 bytes in canonical base64url. */
export function isKey(key: unknown): key is string {
  try {
    return parseObjectKey(key as string).length === 32
  } catch {
    return false
  }
}

/** Fires once the app's signal does, or once another account acts; `refusal` then says which. */
interface Ending {
  readonly signal: AbortSignal
  refusal(): StorageFail | null
  end(): void
}

function watch(signal: AbortSignal | undefined, { session, sessions }: PutNeeds): Ending {
  const stop = new AbortController()
  let refusal: StorageFail | null = null
  const stopWith = (why: StorageFail): void => {
    refusal ??= why
    stop.abort()
  }
  const onAbort = (): void => stopWith(aborted)
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort)
  const forget = sessions.onChange(({ switched }) => switched && stopWith(refused('accountChanged')))
  // The account may have changed before the watch began.
  void sessions.current().then(now => now?.account.id !== session.account.id && stopWith(refused('accountChanged')))
  return {
    signal: stop.signal,
    refusal: () => refusal,
    end: () => {
      signal?.removeEventListener('abort', onAbort)
      forget()
    },
  }
}

interface File {
  readonly key: string
  readonly size: number
  readonly source: Blob | ReadableStream<Uint8Array<ArrayBuffer>>
  readonly onProgress: PutOptions['onProgress']
}

async function store({ key, size, source, onProgress }: File, ending: Ending, needs: PutNeeds): Promise<PutObject | StorageFail> {
  const { site, session, sessions, uploader } = needs
  if (ending.signal.aborted) return ending.refusal() as StorageFail
  const reserved = await reserve(size, needs)
  if ('error' in reserved) return ending.refusal() ?? reserved
  const { id, reservation } = reserved
  const giveUp = async (refusal: StorageFail): Promise<StorageFail> => {
    await release(id, needs)
    return ending.refusal() ?? refusal
  }

  const token = async (): Promise<string | null> => {
    const held = await sessions.acting()
    return held !== null && held.account.id === session.account.id ? held.token : null
  }
  const content = { kind: 'object', id, key, recordsPerPart: reservation.recordsPerPart } as const
  const order = { parts: `${site.api}/v1/objects/${id}/parts`, size, content }
  const progress = (loaded: number): void => void onProgress?.({ loaded, total: size }).catch(() => undefined)
  const failure = await uploader(order, { source, token, onProgress: progress, signal: ending.signal })
  if (failure !== null || ending.signal.aborted) return giveUp(refusedUpload(failure ?? 'unavailable'))

  const completed = await sessions.call(completeObject, { id }, { deadline: 60_000, repeatable: true })
  if (completed.kind !== 'answer') return giveUp(refusedBy(completed))
  if (completed.value.url !== `${site.cdn}/${id}`) return giveUp(refused('unavailable'))
  return { ...completed.value, key }
}

/** Reserves storage under a fresh id. An attempt nobody answered may have come through: it is given back. */
async function reserve(size: number, needs: PutNeeds): Promise<{ id: string; reservation: Reservation } | StorageFail> {
  for (let attempt = 0; ; attempt += 1) {
    const id = mintObjectId()
    const outcome = await needs.sessions.call(reserveObject, { id, size })
    if (outcome.kind === 'answer') return { id, reservation: outcome.value }
    const again = attempt < 2 && (outcome.kind === 'unreachable' || (outcome.kind === 'refused' && outcome.error === 'conflict'))
    if (outcome.kind === 'unreachable') void release(id, needs)
    if (!again) return refusedBy(outcome)
  }
}

/** Gives a reservation back with the token it was made with, also when that session is about to end. */
async function release(id: string, { site, session, sessions }: PutNeeds): Promise<void> {
  const latest = await sessions.current()
  const token = latest?.account.id === session.account.id ? latest.token : session.token
  await apiAt(site.api)(abortObject, { id }, { token, repeatable: true, deadline: 10_000, keepalive: true })
}
