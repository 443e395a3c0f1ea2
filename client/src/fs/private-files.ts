/** A folder of the origin's private file system; `undefined` where the browser has none that a page can write to, or denies it. */
export async function privateFolder(name: string): Promise<FileSystemDirectoryHandle | undefined> {
  if (typeof FileSystemFileHandle === 'undefined' || !('createWritable' in FileSystemFileHandle.prototype)) return undefined
  try {
    const root = await navigator.storage.getDirectory()
    return await root.getDirectoryHandle(name, { create: true })
  } catch {
    return undefined
  }
}

/** Milliseconds after which a file that nothing names was left by a tab that did not live to name it. */
const STALE = 3_600_000

/** Removes a file that nothing names, unless it may be on its way still. */
export async function removeStale(folder: FileSystemDirectoryHandle, name: string): Promise<void> {
  try {
    const file = await (await folder.getFileHandle(name)).getFile()
    if (Date.now() - file.lastModified > STALE) await folder.removeEntry(name)
  } catch {
    // Another tab has removed it, or holds it open.
  }
}
