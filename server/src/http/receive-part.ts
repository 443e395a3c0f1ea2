import type { IncomingMessage } from 'node:http'
import { type Bytes, type PartPlace, WrongLength } from '../bytes/bytes.ts'
import type { InFlight } from '../bytes/in-flight.ts'
import { placeOf } from '../operations/log.ts'
import type { Services } from '../services.ts'
import { answer } from './answer.ts'
import { type Refusal, refuse } from './handler.ts'

/** A part of an upload being sent, and what its area knows of it. */
export interface PartComing {
  readonly id: string
  readonly account: string
  readonly place: PartPlace
  readonly incoming: IncomingMessage
  readonly bytes: Bytes
  readonly inFlight: InFlight
  /** The answer where there is no such upload any more. */
  readonly missing: Refusal
  /** Whether the part is there already. */
  landed(): Promise<boolean>
  /** Counts the part; false when there is no such upload any more. */
  land(): Promise<boolean>
  /** Whether the upload was given up, so that nobody else removes what this part left. */
  gone(): Promise<boolean>
}

/** The answer to a part or a file of another size than it must have. */
export const wrongLength = refuse('invalid', 'the part does not have the size it must have')

/**
 * Receives a part: exactly the bytes of its place, said by Content-Length. They go to disk as they arrive, and the answer comes once
 * they and the row that counts them are durable. A part that has landed is read and answered again without being written; a new
 * request for a part stops an older one.
 */
export async function receivePart(
  { id, account, place, incoming, bytes, inFlight, missing, landed, land, gone }: PartComing,
  { config, log, metrics }: Pick<Services, 'config' | 'log' | 'metrics'>,
): Promise<Response | Refusal> {
  if (incoming.headers['content-length'] !== String(place.size)) return wrongLength
  const release = await inFlight.take(account, id, place.part, () => incoming.destroy())
  if (release === null) return refuse('rate-limited', 'too many parts at a time')
  // Counts as silence only what the sender does not send: reading is resumed as fast as the disk writes.
  incoming.setTimeout(config.limits.idle)
  try {
    if (await landed()) {
      await readAll(incoming, place.size)
      return answer({})
    }
    await bytes.putPart(id, place, bodyOf(incoming))
    metrics.bytes('in', place.size)
    if (await land()) return answer({})
    // Given up meanwhile, perhaps before the file was made again by this part.
    if (await gone()) await bytes.remove(id, 'unfinished')
    return missing
  } catch (error) {
    if (error instanceof WrongLength) return wrongLength
    if (incoming.destroyed && !incoming.complete) return refuse('conflict', 'the part broke off')
    log.error('part-not-kept', placeOf(error))
    return refuse('unavailable', 'the part could not be kept')
  } finally {
    release()
  }
}

/** The body; leaving it early leaves the connection open for the answer. */
export const bodyOf = (incoming: IncomingMessage): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => incoming.iterator({ destroyOnReturn: false })[Symbol.asyncIterator](),
})

async function readAll(incoming: IncomingMessage, size: number): Promise<void> {
  let read = 0
  for await (const piece of bodyOf(incoming)) read += piece.byteLength
  if (read !== size) throw new WrongLength('the part is shorter than it should be')
}
