import * as storage from '@deputy/client/storage'

/**
 * Seals the file in the browser, stores it, and makes a link whose
 * secret part never reaches a server.
 */
export async function share(file: File, onShare: (done: number) => void, signal: AbortSignal) {
  const { url, key } = await storage.put(file, {
    onProgress: ({ loaded, total }) => onShare(total === 0 ? 1 : loaded / total),
    signal,
  })
  const { name, type } = file
  return `${location.origin}/files#${new URLSearchParams({ url, key, name, type })}`
}
