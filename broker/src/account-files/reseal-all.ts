import { SMALL_FILE_BYTES } from '@deputy/contract/api-files'
import type { AppKeys } from '@deputy/seal'
import type { AppFile, Listed } from './files.ts'
import type { Reseal } from './reseal.ts'

/** What sealing all files again stands on. */
export interface ResealAllNeeds {
  /** Ids of the apps that have files of an older epoch. */
  readonly apps: readonly string[]
  readonly keysOf: (app: string) => Promise<AppKeys>
  readonly list: (app: string, keys: AppKeys) => Promise<Listed>
  readonly reseal: Reseal
  readonly onProgress: (progress: ResealProgress) => void
  readonly signal: AbortSignal
}

/** How far it is; bytes are sealed ones. */
export interface ResealProgress {
  readonly done: number
  readonly files: number
  readonly doneBytes: number
  readonly bytes: number
}

/** How it ended, and how many files stay as they are: those that do not open, and those there was no room for. */
export interface ResealEnd {
  readonly kind: 'done' | 'stopped' | 'stale' | 'failed'
  readonly broken: number
  readonly noRoom: number
}

const lanes = 4

/**
 * Seals every file of an older epoch again: the small ones a few at a time, then the large ones one by one. Stopped and begun again,
 * it goes on with those that are left, since each that is done is of the newest epoch.
 */
export async function resealAll({ apps, keysOf, list, reseal, onProgress, signal }: ResealAllNeeds): Promise<ResealEnd> {
  const work: { readonly keys: AppKeys; readonly file: AppFile }[] = []
  const counts = { broken: 0, 'no-room': 0 }
  const end = (kind: ResealEnd['kind']): ResealEnd => ({ kind, broken: counts.broken, noRoom: counts['no-room'] })
  for (const app of apps) {
    const keys = await keysOf(app)
    const files = await list(app, keys)
    if (signal.aborted) return end('stopped')
    if (typeof files === 'string') return end(files === 'locked' ? 'stale' : 'failed')
    for (const file of files) if (file.row.epoch < keys.epoch) work.push({ keys, file })
  }

  const bytes = work.reduce((sum, { file }) => sum + file.row.size, 0)
  const under = new Map<AppFile, number>()
  let done = 0
  let doneBytes = 0
  const tell = (): void => onProgress({ done, files: work.length, doneBytes: doneBytes + [...under.values()].reduce((sum, part) => sum + part, 0), bytes })
  let over: 'stale' | 'failed' | null = null
  const one = async ({ keys, file }: (typeof work)[number]): Promise<void> => {
    const onProgress = (part: number): void => {
      under.set(file, Math.min(part, file.row.size))
      tell()
    }
    const how = await reseal(keys, file, { signal, onProgress })
    under.delete(file)
    if (how === 'stale' || how === 'failed') {
      over ??= how
      return
    }
    if (how !== 'sealed') counts[how] += 1
    done += 1
    doneBytes += file.row.size
    tell()
  }
  const inLanes = async (queue: typeof work, most: number): Promise<void> => {
    const waiting = queue.values()
    const lane = async (): Promise<void> => {
      for (const item of waiting) {
        await one(item)
        if (over !== null) return
      }
    }
    await Promise.all(Array.from({ length: most }, lane))
  }
  tell()
  try {
    await inLanes(
      work.filter(({ file }) => file.row.size <= SMALL_FILE_BYTES),
      lanes,
    )
    if (over === null)
      await inLanes(
        work.filter(({ file }) => file.row.size > SMALL_FILE_BYTES),
        1,
      )
  } catch (error) {
    if (!signal.aborted) throw error
    return end('stopped')
  }
  return end(over ?? 'done')
}
