import type { CloudCalls } from './cloud-calls.ts'
import { besideName } from './conflicts.ts'
import { FsError, isCode } from './errors.ts'
import type { FileRecord } from './records.ts'
import type { RecordsVolume } from './records-volume.ts'
import { NOBODY, type Spaces } from './spaces.ts'
import type { Status } from './status.ts'

export interface Adopting {
  readonly nobody: () => RecordsVolume
  readonly calls: CloudCalls
  readonly spaces: Spaces
  readonly now: () => number
  /** Rises whenever another account is acted for. */
  readonly switches: () => number
  say(adopting: Status['adopting']): void
}

/** Takes files that were written while nobody was connected into an account, when the person says so and never otherwise. */
export interface Adoption {
  /** Tells the broker what waits, and asks once after the person has connected where `asks` says so. */
  offer(volume: RecordsVolume, asks: boolean): Promise<void>
  /** Asks now. Answers whether the files were taken. */
  ask(volume: RecordsVolume): Promise<boolean>
}

export function adopting({ nobody, calls, spaces, now, switches, say }: Adopting): Adoption {
  let offered = ''
  let isAsked = false
  const waiting = async (): Promise<FileRecord[]> => (await nobody().records()).filter(({ gone }) => !gone)
  const sum = (records: readonly FileRecord[]) => ({ files: records.length, bytes: records.reduce((total, { size }) => total + size, 0) })

  /** Whether the account of the space is signed in still. */
  const isStill = async (space: string): Promise<boolean> => {
    const pin = (await spaces.all()).find(({ id }) => id === space)?.pin
    if (pin === undefined) return false
    return calls.stat(pin, 'deputy').then(
      () => true,
      (error: unknown) => isCode(error, 'STORAGE_LOCKED', 'STALE_EPOCH'),
    )
  }
  const placed = async (volume: RecordsVolume, { path, contentType, directory }: FileRecord, bytes: Uint8Array<ArrayBuffer>): Promise<void> => {
    if (directory && (await volume.stat(path).catch(() => null))?.directory === true) return
    for (const at of [path, besideName(path, now()), besideName(path.replaceAll('/', ' '), now(), 1)]) {
      try {
        await volume.write(at, bytes, { contentType, base: null })
        return
      } catch (error) {
        // Something else is there, or in the way.
        if (!isCode(error, 'CONFLICT', 'EISDIR', 'ENOTDIR')) throw error
      }
    }
    throw new FsError('EEXIST', { path })
  }
  const take = async (volume: RecordsVolume, since: number): Promise<boolean> => {
    // Who was asked must be who gets them; the broker's answer comes behind its word of a switch.
    if (!(await isStill(volume.space)) || switches() !== since) return false
    const records = await waiting()
    let done = 0
    for (const record of records) {
      say({ done, total: records.length })
      // The broker's card shows how much is left.
      if (done > 0) await calls.setAdoptSource(sum(records.slice(done)), async () => undefined).catch(() => undefined)
      done++
      const bytes = await nobody().bytes(record)
      if (bytes === undefined) continue
      const present = (await volume.records()).find(({ path, gone }) => path === record.path && !gone)
      const there = present && (await volume.bytes(present).catch(() => undefined))
      const isSame = there !== undefined && there.length === bytes.length && there.every((byte, at) => byte === bytes[at])
      // Into the account first: a crash in between takes the same file once more, and it is recognised.
      if (!isSame) await placed(volume, record, bytes)
      await nobody().edit([{ path: record.path, make: stored => (stored?.version === record.version ? null : undefined) }])
    }
    say(null)
    offered = ''
    await calls.setAdoptSource(null, null).catch(() => undefined)
    return true
  }

  return {
    offer: async (volume, asks) => {
      const since = switches()
      const request = volume.space === NOBODY ? { files: 0, bytes: 0 } : sum(await waiting())
      const key = `${volume.space} ${request.files} ${request.bytes}`
      if (key === offered) return
      offered = key
      const run = async (): Promise<void> => void (await take(volume, switches()))
      // A broker that cannot be told is told at the next turn.
      const source = request.files === 0 ? calls.setAdoptSource(null, null) : calls.setAdoptSource(request, run)
      await source.catch(() => undefined)
      if (request.files === 0 || !asks || isAsked) return
      isAsked = true
      // Aside: an answer may take its time, and files go on meanwhile.
      void calls
        .promptAdopt(request)
        .then(
          agreed => (agreed ? take(volume, since) : false),
          () => (isAsked = false),
        )
        .catch(() => say(null))
    },
    ask: async volume => {
      const since = switches()
      const request = sum(await waiting())
      if (volume.space === NOBODY || request.files === 0) return false
      return (await calls.promptAdopt(request)) && (await take(volume, since))
    },
  }
}
