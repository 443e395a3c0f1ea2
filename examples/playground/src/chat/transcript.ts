import type { RoomEvent } from '@deputy/client/rooms'
import { personIn, readWords, type Person } from '../rooms/words.ts'

/** A message as the chat shows it. */
export interface Said {
  readonly kind: 'said'
  readonly seq: number
  readonly at: number
  readonly from: string
  /** Who the sender said to be in it. */
  readonly person: Person | null
  readonly text: string
  readonly edited: boolean
}

/** Something that happened, between the messages. */
export interface Noted {
  readonly kind: 'noted'
  /** Comes behind the message of this seq. */
  readonly seq: number
  readonly at: number
  readonly what: 'joined' | 'left' | 'removed' | 'blocked' | 'claimed' | 'kept' | 'released'
  /** A member id, empty where nobody in particular did it. */
  readonly who: string
}

export type Item = Said | Noted

/** What was said and what happened, in the room's order. */
export interface Transcript {
  readonly items: readonly Item[]
  /** Highest seq heard, of whatever was sent. */
  readonly last: number
}

export const emptyTranscript: Transcript = { items: [], last: 0 }

/** Entries kept; the oldest go first and can be read from the mailbox again. */
const KEPT = 3000

/** The transcript after an event, heard at `now`. */
export function transcriptAfter(transcript: Transcript, event: RoomEvent, now: number): Transcript {
  const { items, last } = transcript
  const note = (what: Noted['what'], who: string): Transcript => {
    const noted: Noted = { kind: 'noted', seq: last, at: now, what, who }
    return { items: [...items, noted].slice(-KEPT), last }
  }
  switch (event.type) {
    case 'message':
      return withMessage(transcript, event.message)
    case 'edited':
      return { items: items.map(item => (item.kind === 'said' && item.seq === event.message.seq ? { ...said(event.message), edited: true } : item)), last }
    case 'deleted':
      return { items: items.filter(item => item.kind === 'noted' || item.seq < event.from || item.seq > event.to), last }
    case 'joined':
      return note('joined', event.member.id)
    case 'left':
      return note(event.reason, event.id)
    case 'claim':
      return note(event.claimed ? (event.mailbox ? 'kept' : 'claimed') : 'released', '')
    default:
      return transcript
  }
}

type Message = (RoomEvent & { type: 'message' })['message']

function withMessage({ items, last }: Transcript, message: Message): Transcript {
  const newest = Math.max(last, message.seq)
  // Words without text only tell who is who.
  if (typeof readWords(message.text)['say'] !== 'string') return newest === last ? { items, last } : { items, last: newest }
  const item = said(message)
  if (message.seq > last) return { items: [...items, item].slice(-KEPT), last: newest }
  const others = items.filter(other => other.kind === 'noted' || other.seq !== item.seq)
  const place = others.findIndex(other => other.seq > item.seq || (other.seq === item.seq && other.kind === 'noted'))
  return { items: place === -1 ? [...others, item] : others.toSpliced(place, 0, item), last: newest }
}

function said({ seq, at, from, text }: Message): Said {
  const words = readWords(text)
  return { kind: 'said', seq, at, from, person: personIn(words), text: typeof words['say'] === 'string' ? words['say'] : '', edited: words['edited'] === true }
}
