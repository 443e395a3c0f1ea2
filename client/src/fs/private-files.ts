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
