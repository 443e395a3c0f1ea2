import type { CarrierEars, Message } from './carrier.ts'
import type { Clock } from './clock.ts'
import { FRAME } from './frames.ts'
import { laneReader } from './lane-reader.ts'
import { laneWords, wordsOfLane } from './lane-words.ts'

type Parts = readonly Uint8Array<ArrayBuffer>[]

/** Opens the answer that is a lane; `signal` fires once it is of no more use. Rejects where there can be none. */
export type OpenLane = (ticket: string, signal: AbortSignal) => Promise<ReadableStream<Uint8Array<ArrayBuffer>>>

/** How lanes have gone so far, over all carriers of a session. */
export interface LaneRecord {
  /** Lanes that could not be opened, or were lost with their carrier, since the last one that came to its end. */
  broken: number
}

/** What the way down stands on. */
export interface DownNeeds {
  readonly ears: CarrierEars
  readonly send: (message: Message) => void
  readonly open: OpenLane
  readonly clock: Clock
  readonly record: LaneRecord
  /** A message came by the lane. */
  readonly heard: () => void
  /** The lane broke off, and with it what it carried: the carrier is no good any more. */
  readonly lost: () => void
}

/** What comes down over one carrier: by its WebSocket, and by a lane while there is much. */
export interface Down {
  /** A message of the WebSocket. @throws {ProtocolError} */
  message(...parts: Parts): void
  close(): void
}

/** So many bytes within so long (ms) are worth a lane. */
const much = 2 * 1024 * 1024
const within = 500
/** After so many that broke one after another there is no other one in this session. */
const brokenMost = 3

/**
 * Hears the WebSocket, and asks for a lane while much comes down: browsers take several times the processor time for what comes by a WebSocket as for what
 * comes by an answer that streams. Each way says where it goes on by the other one, so that the order is kept.
 */
export function downOf({ ears, send, open, clock, record, heard, lost }: DownNeeds): Down {
  let over = false
  let lane: AbortController | undefined
  let way: 'socket' | 'lane' = 'socket'
  /** Whether a lane was asked for, and is not over. */
  let busy = false
  /** Whether the node was told that it is heard. */
  let inUse = false
  /** Came by the WebSocket, whose turn it is not. */
  const early: Parts[] = []
  let turned = Promise.withResolvers<void>()
  let bytes = 0
  let since = clock.now()

  const count = (parts: Parts): void => {
    for (const part of parts) bytes += part.byteLength
    if (bytes < much || busy || record.broken >= brokenMost) return
    const now = clock.now()
    if (now - since < within) {
      busy = true
      send(laneWords({}))
    }
    bytes = 0
    since = now
  }
  const take = (parts: Parts): void => {
    const words = wordsOfLane(parts)
    if (words?.ticket !== undefined) void run(words.ticket)
    else if (words?.turn === true) {
      way = 'lane'
      turned.resolve()
    } else if (words === undefined) {
      ears.message(...parts)
      count(parts)
    }
  }
  const run = async (ticket: string): Promise<void> => {
    const mine = new AbortController()
    lane = mine
    try {
      const reader = laneReader(await open(ticket, mine.signal))
      if ((await reader.next()) === undefined) throw new Error('the lane is empty')
      inUse = true
      send(laneWords({ ready: true }))
      for (;;) {
        const parts = await reader.next()
        if (parts === undefined) throw new Error('the lane broke off')
        heard()
        if (way === 'socket') await turned.promise
        if (over) return
        if (parts[0]?.[0] === FRAME.lane) break
        ears.message(...parts)
      }
      turned = Promise.withResolvers()
      way = 'socket'
      busy = false
      inUse = false
      record.broken = 0
      while (way === 'socket' && early.length > 0) take(early.shift() as Parts)
      // To its end, so that its connection can be used again.
      await reader.next().catch(() => undefined)
    } catch {
      if (over) return
      if (inUse) return lost()
      record.broken += 1
      busy = false
    } finally {
      mine.abort()
    }
  }

  return {
    message: (...parts) => {
      // The session is over, and with it the order.
      if (parts[0]?.[0] === FRAME.refused) ears.message(...parts)
      else if (way === 'socket' && early.length === 0) take(parts)
      else early.push(parts)
    },
    close: () => {
      if (inUse) record.broken += 1
      inUse = false
      over = true
      lane?.abort()
      turned.resolve()
    },
  }
}
