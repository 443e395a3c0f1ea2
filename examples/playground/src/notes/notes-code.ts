import { FsError, promises as files } from '@deputy/client/fs'
import { fileName, parsed, type Words, written } from './note-text.ts'

const folder = 'notes'

export interface Note extends Words {
  /** The file in the folder; it stays when the title changes. */
  readonly name: string
  /** Names this state of the file. */
  readonly version: string
  readonly changed: number
  readonly size: number
}

/** Where a note stands. */
export const pathOf = (name: string) => `${folder}/${name}`

/** One note, `undefined` where there is none. */
export async function read(name: string): Promise<Note | undefined> {
  try {
    // The version first: the words are of that state or a later one, never of an earlier.
    const { version, size, mtimeMs } = await files.stat(pathOf(name))
    return { name, version, size, changed: mtimeMs, ...parsed(await files.readFile(pathOf(name), 'utf8')) }
  } catch (error) {
    if (error instanceof FsError && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** The names of all notes: of the account, or of this browser while nobody is signed in. */
export async function names() {
  return (await files.exists(folder)) ? files.readdir(folder) : []
}

export async function make(words: Words): Promise<string> {
  const name = fileName(new Date(), crypto.randomUUID().slice(0, 4))
  await files.writeFile(pathOf(name), written(words), { contentType: 'text/markdown', base: null })
  return name
}

/**
 * Saves here at once; the account hears of it as soon as it can. The base is
 * the version these words were written on: of anything newer nothing is lost,
 * and in another person's account they land never.
 */
export async function save(name: string, words: Words, base: string) {
  await files.writeFile(pathOf(name), written(words), { contentType: 'text/markdown', base })
}

export async function remove(name: string) {
  await files.rm(pathOf(name), { force: true })
}

/** Says when something changed here, in another tab or on another device. */
export async function* changes(signal: AbortSignal) {
  for await (const { filename } of files.watch(folder, { signal })) yield filename
}
