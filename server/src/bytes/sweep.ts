import type { Bytes } from './bytes.ts'

/** Rows looked at in one go. */
export const sweepBatch = 500
const prefixes = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'))

/** What a sweep found. */
export interface Swept {
  /** Uploads given up because their time was over. */
  readonly expired: number
  /** Objects and files given up whose bytes are now gone. */
  readonly cleared: number
  /** Bytes removed that no row named. */
  readonly strays: number
  /** Rows that are ready and whose bytes are not there. They are kept for the operator to restore, and served as not found. */
  readonly missing: number
}

/** What a row that names bytes says of them. */
export type ByteStatus = 'uploading' | 'ready' | 'deleted'

/** An area whose rows name bytes. `closing` asks to stop early. */
export interface SweptArea {
  readonly bytes: Bytes
  /** Gives up what is out of time or without an account; answers how many. */
  expire(closing: () => boolean): Promise<number>
  /** Ids given up that come after this one, in order: at most `sweepBatch`. */
  deletedAfter(id: string): Promise<readonly string[]>
  /** Removes the bytes of what was given up and forgets the rows; answers how many are gone. */
  clear(ids: readonly string[]): Promise<number>
  /** The status of every row whose id starts with the two digits. */
  rowsOf(prefix: string): Promise<ReadonlyMap<string, ByteStatus>>
}

/** Expires and clears an area; with `full` also compares all its bytes with all its rows. */
export async function sweepArea(area: SweptArea, full: boolean, closing: () => boolean): Promise<Swept> {
  const expired = await area.expire(closing)
  const cleared = await clearAll(area, closing)
  return { expired, cleared, ...(full ? await compare(area, closing) : { strays: 0, missing: 0 }) }
}

async function clearAll({ deletedAfter, clear }: SweptArea, closing: () => boolean): Promise<number> {
  let cleared = 0
  for (let after = ''; !closing();) {
    const found = await deletedAfter(after)
    cleared += await clear(found)
    if (found.length < sweepBatch) break
    after = found.at(-1) ?? ''
  }
  return cleared
}

async function compare({ bytes, rowsOf }: SweptArea, closing: () => boolean): Promise<{ strays: number; missing: number }> {
  let strays = 0
  let missing = 0
  for (const prefix of prefixes) {
    if (closing()) break
    // Rows that were ready before the bytes are listed must be among them; bytes have had a row before they were there.
    const before = await rowsOf(prefix)
    const found = await bytes.list(prefix)
    const after = await rowsOf(prefix)
    const whole = new Set(found.filter(entry => entry.state === 'whole').map(entry => entry.id))
    for (const [id, status] of before) if (status === 'ready' && after.get(id) === 'ready' && !whole.has(id)) missing += 1
    for (const { id, state } of found) {
      const status = after.get(id)
      if (status !== undefined && !(status === 'ready' && state === 'unfinished')) continue
      await bytes.remove(id, state === 'unfinished' ? 'unfinished' : undefined)
      strays += 1
    }
  }
  return { strays, missing }
}
