import { argon2id } from 'hash-wasm'
import type { Bytes } from './bytes.ts'
import { SealError } from './error.ts'

/** How a passphrase is stretched by Argon2id: `salt` base64url, `memory` in KiB. */
export interface Stretch {
  readonly salt: string
  readonly memory: number
  readonly passes: number
  readonly lanes: number
}

/** What new passphrases are stretched with, and the least that is ever taken: 64 MiB, three passes, one lane. */
export const STRETCH_FLOOR = { memory: 65_536, passes: 3, lanes: 1 } as const
const STRETCH_CEILING = { memory: 1_048_576, passes: 16, lanes: 4 } as const

/**
 * The 32 bytes a passphrase is stretched to, after Unicode normalisation (NFC). Takes a good part of a second.
 * @throws {SealError} `integrity` for parameters weaker than the floor, or so great that they could only hang the device
 */
export async function stretchPassphrase(text: string, salt: Bytes, { memory, passes, lanes }: Omit<Stretch, 'salt'>): Promise<Bytes> {
  const within = (value: number, least: number, most: number): boolean => Number.isInteger(value) && value >= least && value <= most
  const taken =
    salt.length === 16 &&
    within(memory, STRETCH_FLOOR.memory, STRETCH_CEILING.memory) &&
    within(passes, STRETCH_FLOOR.passes, STRETCH_CEILING.passes) &&
    within(lanes, STRETCH_FLOOR.lanes, STRETCH_CEILING.lanes)
  if (!taken) throw new SealError('integrity')
  const options = { password: text.normalize('NFC'), salt, memorySize: memory, iterations: passes, parallelism: lanes, hashLength: 32 }
  return new Uint8Array(await argon2id({ ...options, outputType: 'binary' }))
}
