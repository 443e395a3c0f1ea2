import type { Actor } from './acting.ts'
import { changedSince, type FileRow, type OnRows } from './entries.ts'

const mostRows = 200_000

/** The rows of all files of one account at a time. */
export interface KeptRows {
  /** All rows as they are now: what is known already is not asked for again. `onRows` hears of what is new as it comes. @throws {RemoteError} */
  all(actor: Actor, onRows?: OnRows): Promise<FileRow[]>
  /** Forgets them: another account acts, or one of them is not what it should be. */
  clear(): void
}

/** Rows in memory, brought up to date by what changed since. */
export function keptRows(): KeptRows {
  let kept: { readonly account: string; readonly rows: Map<string, FileRow>; readonly changed: number } | undefined
  const update = async (actor: Actor, onRows?: OnRows): Promise<FileRow[]> => {
    const known = kept?.account === actor.account ? kept : undefined
    const news = known === undefined ? undefined : await changedSince(actor, known.changed, onRows)
    if (known === undefined || news === undefined || news.reset) {
      const { files, changed } = await changedSince(actor, 0, onRows)
      kept = files.length > mostRows ? undefined : { account: actor.account, changed, rows: new Map(files.map(row => [row.name, row])) }
      return files
    }
    // Taken over as one: whoever lists at the same time must not see half of it.
    const rows = new Map(known.rows)
    for (const row of news.files) rows.set(row.name, row)
    for (const name of news.removed) rows.delete(name)
    if (kept === known) kept = { account: actor.account, changed: news.changed, rows }
    return [...rows.values()]
  }
  return {
    all: update,
    clear: () => {
      kept = undefined
    },
  }
}
