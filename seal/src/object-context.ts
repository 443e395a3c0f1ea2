import { concat } from './bytes.ts'
import { parseObjectId } from './object-id.ts'
import { parseObjectKey } from './object-key.ts'
import type { RecordContext } from './record-cipher.ts'

const label = new TextEncoder().encode('deputy/object/v1')

/**
 * Derives what the records of the object `id` under the app's key share. Each object has a key of its own even when one app key
 * serves many.
 * @throws {SealError} `invalid-key`, `invalid-id`
 */
export async function objectContext(key: string, id: string, size: number, use: 'encrypt' | 'decrypt'): Promise<RecordContext> {
  const bytes = parseObjectKey(key)
  const salt = parseObjectId(id)
  const material = await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey'])
  bytes.fill(0)
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt, info: label }
  const objectKey = await crypto.subtle.deriveKey(derivation, material, { name: 'AES-GCM', length: 256 }, false, [use])
  return { key: objectKey, binding: concat(label, salt), size }
}
