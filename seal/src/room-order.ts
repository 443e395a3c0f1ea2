import { SealError } from './error.ts'

/** Where the server says a message stands, and what its author sealed into it. */
export interface FramePlace {
  readonly seq: number
  readonly from: string
  readonly counter: number
  /** How often it was edited. */
  readonly revision: number
}

/** What one reader of a room has seen, and so what it refuses as a replay, a move or a change of order. */
export interface SeenFrames {
  /** The member's seat began in front of this reader: its first message is number 1. */
  begin(member: string): void
  /** A message that has just been sent. Answers how many of its sender's messages before it never arrived. @throws {SealError} `replayed` */
  live(place: FramePlace): number
  /** A message out of the mailbox, read again or for the first time. @throws {SealError} `replayed` */
  stored(place: FramePlace): void
  /** A message whose text has just been replaced. Answers how many earlier edits of it never arrived. @throws {SealError} `replayed` */
  edited(place: FramePlace): number
  /** What is known of the message the server calls `seq`. */
  at(seq: number): FramePlace | undefined
}

/** Messages of which a reader remembers place and revision. */
const REMEMBERED = 20_000
const MEMBERS = 20_000

/** A reader that has seen nothing. */
export function seenFrames(): SeenFrames {
  const places = new Map<number, FramePlace>()
  const seqs = new Map<string, number>()
  const latest = new Map<string, Pick<FramePlace, 'seq' | 'counter'>>()
  const read = new Map<string, Pick<FramePlace, 'seq' | 'counter'>>()

  const name = ({ from, counter }: FramePlace): string => `${from}${counter}`
  const keep = (place: FramePlace): void => {
    places.set(place.seq, place)
    seqs.set(name(place), place.seq)
    const oldest = places.size > REMEMBERED ? places.values().next().value : undefined
    if (oldest === undefined) return
    places.delete(oldest.seq)
    seqs.delete(name(oldest))
  }
  /** Refuses a message that was another one before, or was elsewhere. */
  const checkPlace = (place: FramePlace): FramePlace | undefined => {
    const known = places.get(place.seq)
    if (known !== undefined && (known.from !== place.from || known.counter !== place.counter)) throw new SealError('replayed')
    if ((seqs.get(name(place)) ?? place.seq) !== place.seq) throw new SealError('replayed')
    return known
  }
  /** Refuses two messages of one sender whose order is not the one they were sent in. */
  const checkOrder = ({ seq, counter }: FramePlace, other: Pick<FramePlace, 'seq' | 'counter'> | undefined): void => {
    if (other === undefined || (seq === other.seq && counter === other.counter)) return
    if (seq === other.seq || counter === other.counter || seq > other.seq !== counter > other.counter) throw new SealError('replayed')
  }
  const advance = (of: typeof latest, { from, seq, counter }: FramePlace): void => {
    of.delete(from)
    of.set(from, { seq, counter })
    const oldest = of.size > MEMBERS ? of.keys().next().value : undefined
    if (oldest !== undefined) of.delete(oldest)
  }

  return {
    begin: member => {
      // A member told of twice is no new seat.
      if (!latest.has(member)) advance(latest, { from: member, seq: -1, counter: 0, revision: 0 })
    },
    live: place => {
      const last = latest.get(place.from)
      if (checkPlace(place) !== undefined || place.counter < 1) throw new SealError('replayed')
      if (last !== undefined && (place.counter <= last.counter || place.seq <= last.seq)) throw new SealError('replayed')
      keep(place)
      advance(latest, place)
      return last === undefined ? 0 : place.counter - last.counter - 1
    },
    stored: place => {
      const known = checkPlace(place)
      if (place.counter < 1 || (known !== undefined && place.revision < known.revision)) throw new SealError('replayed')
      const last = latest.get(place.from)
      checkOrder(place, last)
      checkOrder(place, read.get(place.from))
      keep(place)
      advance(read, place)
      if (last === undefined || place.counter > last.counter) advance(latest, place)
    },
    edited: place => {
      const known = checkPlace(place)
      if (place.counter < 1 || (known !== undefined && place.revision <= known.revision)) throw new SealError('replayed')
      checkOrder(place, latest.get(place.from))
      keep(place)
      return known === undefined ? 0 : place.revision - known.revision - 1
    },
    at: seq => places.get(seq),
  }
}
