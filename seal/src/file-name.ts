import type { AppKeys } from './app-keys.ts'
import { encode } from './base64url.ts'
import { concat, utf8Bytes } from './bytes.ts'

/** The name a file has on the server: 43 characters that only a holder of the app's keys can compute from its path. */
export async function fileName({ names }: AppKeys, path: string): Promise<string> {
  const mac = await crypto.subtle.sign('HMAC', names, concat(utf8Bytes('deputy/file/v1/name'), utf8Bytes(path)))
  return encode(new Uint8Array(mac))
}
