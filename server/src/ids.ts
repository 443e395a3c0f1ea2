import { randomBytes } from 'node:crypto'

/** Where ids and secrets come from. */
export interface Ids {
  /** 128 random bits, 22 base64url characters. */
  id(): string
  /** 256 random bits, 43 base64url characters. */
  token(): string
  /** Random bytes. */
  bytes(count: number): Uint8Array<ArrayBuffer>
}

/** The operating system's random source. */
export const randomIds: Ids = {
  id: () => randomBytes(16).toString('base64url'),
  token: () => randomBytes(32).toString('base64url'),
  bytes: count => new Uint8Array(randomBytes(count)),
}
