import { mediaUrl } from '@deputy/client/media'
import * as storage from '@deputy/client/storage'

/**
 * Opens a link on any device, without an account. A video plays by
 * ranges: only what is watched is fetched and opened.
 */
export async function open(fragment: string) {
  const { url, key, name, type } = read(fragment)
  const file = await storage.get(url, key)
  const playable = /^(audio|video)\//.test(type)
  return { file, name, type, media: playable ? mediaUrl(file, { type }).url : undefined }
}

function read(fragment: string) {
  const link = new URLSearchParams(fragment)
  const part = (name: string) => link.get(name) ?? ''
  return { url: part('url'), key: part('key'), name: part('name'), type: part('type') }
}
