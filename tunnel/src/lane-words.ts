import { laneFrame } from '@deputy/contract/tunnel-wire'
import { parse } from '@deputy/contract/validate'
import type { Received } from '@deputy/contract/shape'
import type { Message } from './carrier.ts'
import { FRAME, fromJson, ownMessage, ProtocolError, readFrames, toJson } from './frames.ts'

/** What both ends say to one another of lanes. */
export type LaneWords = Received<typeof laneFrame>

/** A message of such words. */
export const laneWords = (words: LaneWords): Message => ownMessage(FRAME.lane, toJson(words))

/**
 * The words a message holds, undefined where it is one of the session.
 * @throws {ProtocolError} where they are mixed, or not in their shape.
 */
export function wordsOfLane(parts: readonly Uint8Array<ArrayBuffer>[]): LaneWords | undefined {
  if (parts[0]?.[0] !== FRAME.lane) return undefined
  const frames = [...readFrames(...parts)]
  const [only] = frames
  if (only === undefined || frames.length > 1) throw new ProtocolError('words of lanes stand alone')
  try {
    return parse(laneFrame, fromJson(only.payload))
  } catch {
    throw new ProtocolError('the words of a lane are malformed')
  }
}
