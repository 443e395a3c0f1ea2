import { abortAppFile, appFilesPath, beginAppFile, commitAppFile, fileHeaders, SMALL_FILE_BYTES } from '@deputy/contract/api-files'
import { apiError, type Route, type RouteAnswer, type RouteBody } from '@deputy/contract/api'
import type { Received } from '@deputy/contract/shape'
import { fits } from '@deputy/contract/validate'
import { sealEntry, SealError, sealFile, type AppKeys, type FileEntry, type FileHandle } from '@deputy/seal'
import { wait, type Outcome } from '../api/api.ts'
import { otherEpoch } from '../fs/refused.ts'
import type { SessionCallOptions, Sessions } from '../sessions/sessions.ts'
import { notedStream } from '../transfer/failing-stream.ts'
import { SealedFetchError } from '../transfer/sealed-range.ts'
import { sendPart } from '../transfer/send-part.ts'
import { upload } from '../transfer/upload.ts'
import type { AppFile, FileRow } from './files.ts'

/** How sealing a file again ended. */
export type Resealed =
  /** It is under the newest keys: sealed here, or written by somebody else meanwhile, or gone. */
  | 'sealed'
  /** It does not open, and stays as it is. */
  | 'broken'
  /** There is no room for both while the new one is on its way. */
  | 'no-room'
  /** The keys are no longer the newest. */
  | 'stale'
  /** Nobody answered, or the session is over. */
  | 'failed'

/** Who hears of the sealed bytes that are done, and what ends it. */
export interface ResealOptions {
  readonly onProgress: (bytes: number) => void
  readonly signal: AbortSignal
}

/** Seals a file again under these keys, in place of the version its row names; whatever its size, little of it is held at a time. @throws what `signal` was aborted with */
export type Reseal = (keys: AppKeys, file: AppFile, options: ResealOptions) => Promise<Resealed>

/** What sealing again stands on. */
export interface ResealNeeds {
  readonly sessions: Sessions
  /** Origin of the HTTP API; null while it is not known. */
  readonly api: () => Promise<string | null>
  readonly open: (keys: AppKeys, file: AppFile) => Promise<FileHandle>
}

const pauses = [300, 1000, 3000]
const putMs = 120_000
const commitMs = 60_000

/** Seals by the routes of the account. */
export function resealWith({ sessions, api, open }: ResealNeeds): Reseal {
  return async (keys, { row, entry }, { onProgress, signal }) => {
    const origin = await api()
    if (entry === null) return 'broken'
    if (origin === null) return 'failed'
    const again: Again = { keys, row, entry, signal, onProgress, address: origin + appFilesPath(keys.app), actor: actorOf(sessions, keys.account) }
    try {
      const handle = await open(keys, { row, entry })
      const meta = await sealEntry(keys, entry)
      const done = await (row.size <= SMALL_FILE_BYTES ? putWhole(again, meta, await handle.all()) : putParts(again, meta, handle))
      signal.throwIfAborted()
      return done
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof SealError) return error.code === 'stale-epoch' ? 'stale' : 'broken'
      return error instanceof SealedFetchError && error.why === 'not-found' ? 'sealed' : 'failed'
    }
  }
}

interface Again extends ResealOptions {
  readonly keys: AppKeys
  readonly row: FileRow
  readonly entry: FileEntry
  readonly address: string
  readonly actor: Actor
}

interface Actor {
  token(): Promise<string | null>
  call<R extends Route>(route: R, body: RouteBody<R>, options?: SessionCallOptions): Promise<Outcome<RouteAnswer<R>>>
}

/** The account whose keys these are, and no other that may sign in meanwhile. */
const actorOf = (sessions: Sessions, account: string): Actor => ({
  token: async () => {
    const held = await sessions.acting()
    return held?.account.id === account ? held.token : null
  },
  call: (route, body, options) => sessions.call(route, body, { ...options, account }),
})

async function putWhole({ keys, row, entry, address, actor, signal, onProgress }: Again, meta: string, bytes: Uint8Array): Promise<Resealed> {
  const body = await (await sealFile({ keys, ...entry })).all(bytes)
  const said = { [fileHeaders.name]: row.name, [fileHeaders.meta]: meta, [fileHeaders.epoch]: String(keys.epoch), [fileHeaders.base]: String(row.version) }
  let over: string | null = null
  for (let tries = 0; ;) {
    const token = await actor.token()
    if (token === null || token === over) return 'failed'
    const answer = await fetch(address, {
      method: 'PUT',
      headers: { ...said, 'content-type': 'application/octet-stream', authorization: `Bearer ${token}` },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(putMs)]),
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
      redirect: 'error',
    }).catch(() => null)
    signal.throwIfAborted()
    if (answer?.ok) {
      onProgress(row.size)
      return 'sealed'
    }
    if (answer?.status === 401) {
      over = token
      continue
    }
    if (answer !== null && answer.status < 500 && answer.status !== 408 && answer.status !== 429) return refusedAs(await refusalIn(answer))
    const pause = pauses[tries++]
    if (pause === undefined) return 'failed'
    await wait(pause, signal)
  }
}

async function putParts({ keys, row, entry, address, actor, signal, onProgress }: Again, meta: string, handle: FileHandle): Promise<Resealed> {
  const { app, epoch } = keys
  const begun = await actor.call(beginAppFile, { app, size: row.size, epoch })
  if (begun.kind !== 'answer') return refusedAs(begun)
  const { upload: id, partBytes } = begun.value
  let fault: Error | undefined
  const note = (error: Error): void => {
    fault = error
  }
  const seal = async (): Promise<Resealed> => {
    const order = { parts: `${address}/uploads/${id}`, size: entry.size, content: { kind: 'file', file: { keys, ...entry }, partBytes } } as const
    const source = notedStream(handle.read(0, handle.size), note)
    const failure = await upload(order, { source, token: actor.token, send: sendPart, onProgress, signal })
    signal.throwIfAborted()
    if (fault !== undefined) throw fault
    if (failure !== null) return 'failed'
    const named = { app, upload: id, name: row.name, meta, epoch, base: row.version }
    const done = await actor.call(commitAppFile, named, { deadline: commitMs, repeatable: true })
    if (done.kind !== 'answer') return refusedAs(done)
    onProgress(row.size)
    return 'sealed'
  }
  let done: Resealed | undefined
  try {
    done = await seal()
    return done
  } finally {
    // What never became a file takes room until it is given up or out of time; given up after it became one changes nothing.
    if (done !== 'sealed') await actor.call(abortAppFile, { app, upload: id }, { repeatable: true, keepalive: true })
  }
}

async function refusalIn(answer: Response): Promise<Exclude<Outcome<never>, { kind: 'answer' }>> {
  const value: unknown = await answer.json().catch(() => null)
  if (!fits(apiError, value)) return { kind: 'unreachable' }
  const { error, message } = value as Received<typeof apiError>
  return { kind: 'refused', error, message }
}

function refusedAs(outcome: Exclude<Outcome<unknown>, { kind: 'answer' }>): Resealed {
  if (outcome.kind !== 'refused') return 'failed'
  const { error, message } = outcome
  if (error === 'quota' || error === 'too-many') return 'no-room'
  if (error === 'conflict' && message === otherEpoch) return 'stale'
  // Another version took its place, which is under the newest keys, since no other is taken; or it went.
  return error === 'conflict' || error === 'not-found' ? 'sealed' : 'failed'
}
