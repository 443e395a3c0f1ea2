import * as storage from '@deputy/client/storage'

/** Seals the file in the browser, stores it, and makes a link whose secret part never reaches a server. */
export async function share(file: File, onProgress: (share: number) => void, signal: AbortSignal) {
  const { url, key } = await storage.put(file, {
    onProgress: ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total),
    signal,
  })
  const secret = new URLSearchParams({ url, key, name: file.name, type: file.type })
  return `${location.origin}/#${secret}`
}
