import { placeOf } from '../operations/log.ts'
import type { Services } from '../services.ts'

type Needs = Pick<Services, 'rows' | 'bytes' | 'partsInFlight' | 'log'>

/**
 * Removes the bytes of objects that were given up and then forgets their rows. What fails is logged and left to the next sweep;
 * answers how many are gone.
 */
export const objectClearer =
  ({ rows, bytes, partsInFlight, log }: Needs): Services['clearObjects'] =>
  async ids => {
    const gone: string[] = []
    try {
      for (const id of ids) {
        await partsInFlight.stop(id)
        await bytes.remove(id)
        gone.push(id)
      }
    } catch (error) {
      log.error('object-not-removed', placeOf(error))
    }
    if (gone.length > 0) await rows.write('forgetObjects', { ids: gone })
    return gone.length
  }
