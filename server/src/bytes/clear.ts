import { placeOf } from '../operations/log.ts'
import type { Log } from '../operations/log.ts'
import type { Bytes } from './bytes.ts'
import type { InFlight } from './in-flight.ts'

/** Where bytes lie, and how their rows are forgotten. */
export interface Clearing {
  readonly bytes: Bytes
  readonly inFlight: InFlight
  readonly log: Log
  forget(ids: readonly string[]): Promise<unknown>
}

/**
 * Removes bytes that were given up and then forgets their rows. What fails is logged and left to the next sweep; answers how many
 * are gone.
 */
export const byteClearer =
  ({ bytes, inFlight, log, forget }: Clearing) =>
  async (ids: readonly string[]): Promise<number> => {
    const gone: string[] = []
    try {
      for (const id of ids) {
        await inFlight.stop(id)
        await bytes.remove(id)
        gone.push(id)
      }
    } catch (error) {
      log.error('bytes-not-removed', placeOf(error))
    }
    if (gone.length > 0) await forget(gone)
    return gone.length
  }
