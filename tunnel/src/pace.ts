import type { Clock } from './clock.ts'

/** How many bytes may be under way. */
export interface Pace {
  readonly limit: number
  /** The shortest round trip of late (ms), a guess before the first. */
  readonly roundTrip: number
  /** A message left: what to hand back when it was acknowledged. */
  sent(bytes: number): Departure
  acknowledged(departure: Departure): void
  /** Nothing more is to be sent just now: rates measured from here on say nothing of the way. */
  idle(): void
  /** Whatever is under way is lost with its carrier, and the next one may be another way. */
  restart(): void
}
/** When a message left, and what had arrived by then. */
export interface Departure {
  readonly at: number
  readonly bytes: number
  readonly arrived: number
  readonly arrivedAt: number
  readonly idle: boolean
}

const least = 192 * 1024
const most = 8 * 1024 * 1024
const first = 1024 * 1024
/** More than what the way holds, so that it never runs dry between acknowledgements, and what both ends take for their part of it (ms). */
const room = 1.15
const slack = 2
/** The least that is worth waiting for (ms): on a short way both ends take longer for their part than the way does. */
const ends = 8
/** Round trip (ms) taken for granted until one is known: rather too long, so that a window grows too soon and not too late. */
const unknown = 50
const remembered = 10_000
const samples = 16

/**
 * Keeps as much under way as the way holds, measured as the best recent rate times the shortest recent round trip. More would only
 * wait in queues along the way, and a keystroke behind it.
 */
export function paceOf(clock: Clock): Pace {
  let limit = first
  let arrived = 0
  let arrivedAt = clock.now()
  let idle = true
  let shortest = { time: Number.POSITIVE_INFINITY, at: 0 }
  let rates: number[] = []

  const measure = (departure: Departure, now: number): void => {
    const time = Math.max(now - departure.at, 0.05)
    if (time <= shortest.time || now - shortest.at > remembered) shortest = { time, at: now }
    const span = Math.max(now - departure.arrivedAt, time)
    const rate = (arrived - departure.arrived) / span
    const best = rates.length === 0 ? 0 : Math.max(...rates)
    if (departure.idle && rate < best) return
    rates = [...rates.slice(1 - samples), rate]
    limit = Math.min(most, Math.max(least, Math.max(...rates) * Math.max(ends, room * shortest.time + slack)))
  }

  return {
    get limit() {
      return limit
    },
    get roundTrip() {
      return Number.isFinite(shortest.time) ? shortest.time : unknown
    },
    sent: bytes => {
      const departure: Departure = { at: clock.now(), bytes, arrived, arrivedAt, idle }
      return departure
    },
    acknowledged: departure => {
      const now = clock.now()
      arrived += departure.bytes
      arrivedAt = now
      measure(departure, now)
      idle = false
    },
    idle: () => {
      idle = true
    },
    restart: () => {
      limit = first
      shortest = { time: Number.POSITIVE_INFINITY, at: 0 }
      rates = []
      idle = true
    },
  }
}
