import { readdir } from 'node:fs/promises'

/** The names of all files in a folder and those within it, in order. */
export async function namesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile())
    .map(entry => entry.name)
    .toSorted()
}
