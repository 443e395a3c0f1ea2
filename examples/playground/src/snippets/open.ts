import { mediaUrl } from '@deputy/client/media'
import * as storage from '@deputy/client/storage'

/** Opens a link on any device, without an account. A video plays by ranges: only what is watched is fetched and opened. */
export async function open(fragment: string) {
  const link = new URLSearchParams(fragment)
  const [url = '', key = '', name = '', type = ''] = ['url', 'key', 'name', 'type'].map(part => link.get(part) ?? '')
  const file = await storage.get(url, key)
  const media = /^(audio|video)\//.test(type) ? mediaUrl(file, { type }).url : undefined
  return { file, name, type, media }
}
