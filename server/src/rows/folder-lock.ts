import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The folder belongs to another process. */
export class FolderLocked extends Error {
  override readonly name = 'FolderLocked'
  constructor(folder: string, owner: string) {
    super(`another process (${owner}) already uses the folder ${folder}: stop it, or name another folder in DEPUTY_SERVER_FOLDER`)
  }
}

/**
 * Takes the folder for this process and answers how to give it back. The lock is the operating system's own on an open file, so
 * that of a process that died is gone with it.
 * @throws {FolderLocked}
 */
export function lockFolder(folder: string): () => void {
  const owner = join(folder, 'lock-owner')
  const held = new DatabaseSync(join(folder, 'lock'), { timeout: 0 })
  try {
    held.exec('begin exclusive')
  } catch (error) {
    held.close()
    if (!isBusy(error)) throw error
    throw new FolderLocked(folder, readOwner(owner))
  }
  writeFileSync(owner, `process ${process.pid}\n`)
  return () => held.close()
}

const isBusy = (error: unknown): boolean => error instanceof Error && 'errcode' in error && error.errcode === 5

const readOwner = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return 'unknown'
  }
}
