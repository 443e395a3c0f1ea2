import type { Bytes } from './bytes.ts'
import { SealError } from './error.ts'

/** A fresh object id: a random version 4 uuid in lower case. The client mints it, the server only checks that it is unused. */
export function mintObjectId(): string {
  return crypto.randomUUID()
}

/**
 * The 16 bytes of an object id, a version 4 uuid in lower case.
 * @throws {SealError} `invalid-id`
 */
export function parseObjectId(id: string): Bytes {
  if (typeof id !== 'string' || !/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)) throw new SealError('invalid-id')
  const digits = id.replaceAll('-', '')
  return Uint8Array.from({ length: 16 }, (_, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16))
}
