import type { FileChanges } from '@deputy/contract/fs'
import { fileName } from '@deputy/seal'
import type { KeyedActor } from './acting.ts'
import { changedSince, type Changed, openedMeanwhile, versionedTold } from './entries.ts'
import type { ReadNeeds } from './read.ts'

/**
 * What changed since the cursor; everything for none, for another account's, and where what was removed can no longer be told.
 * @throws {RemoteError}
 */
export async function changesFrom(actor: KeyedActor, cursor: string | undefined, { entries, versions }: ReadNeeds): Promise<FileChanges> {
  // Names no file, so it tells the account and the app apart and nothing else.
  const mark = (await fileName(actor.keys, '')).slice(0, 16)
  const since = sinceIn(cursor, mark)
  const floor = await versions.ofAll(actor.account)
  const from = (place: number): Promise<Changed> => openedMeanwhile(entries, actor, onRows => changedSince(actor, place, onRows))
  let found = await from(since)
  // A name is no path: what was removed can be told only of files opened here before.
  let removed = found.removed.map(name => entries.pathOf(name))
  const whole = since === 0 || found.reset || removed.includes(undefined)
  if (whole) {
    if (since > 0) found = await from(0)
    removed = []
  }
  const unknown = found.files.filter(row => floor.accept(row))
  const opened = await entries.open(actor, found.files)
  void versions.note(actor.account, unknown)
  return {
    cursor: `${mark}.${found.changed}`,
    entries: opened.map(versionedTold),
    removed: removed.filter(path => path !== undefined),
    reset: whole,
  }
}

function sinceIn(cursor: string | undefined, mark: string): number {
  const since = cursor?.startsWith(`${mark}.`) === true ? Number(cursor.slice(mark.length + 1)) : 0
  return Number.isSafeInteger(since) && since > 0 ? since : 0
}
