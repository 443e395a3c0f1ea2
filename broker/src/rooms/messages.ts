import type { RoomMessage, RoomsFail } from '@deputy/contract/room-types'
import type { RoomAnswer, SealedMessage } from '@deputy/contract/room-wire'
import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import { seenFrames, type RoomMemberKey, type RoomSeat, type SealedRoom } from '@deputy/seal'
import { isNo } from './line.ts'
import { refused } from './refused.ts'
import type { Roster } from './roster.ts'
import type { Ask } from './seat.ts'

/** What one seat believes of the messages it is told. */
export interface Messages {
  /** A member took its seat in front of this one. */
  begin(member: string): void
  /** The message, or null when it is not what its sender sent, or was here before. */
  arrived(message: SealedMessage, isCatchingUp: boolean): Promise<RoomMessage | null>
  /** The message with its new text, or null. */
  changed(message: SealedMessage): Promise<RoomMessage | null>
  /** The messages of a page that are what their senders sent. */
  page(page: RoomAnswer<'backlog'>): Promise<RoomMessage[]>
  /** Replaces a stored message's text. */
  edit(seq: number, text: string): Promise<unknown>
}

/** What messages need of their seat. */
export interface MessagesNeeds {
  readonly room: string
  readonly sealed: SealedRoom
  readonly own: RoomSeat
  readonly roster: Roster
  readonly ask: Ask
  /** Asks in the midst of an event: the answer does not wait for its turn. */
  readonly askNow: Ask
  readonly warn: (what: string) => void
}

/** Times an edit is made again when another one came first. */
const EDIT_TRIES = 3

/** The messages of a seat that has seen none. */
export function messagesOf({ room, sealed, own, roster, ask, askNow, warn }: MessagesNeeds): Messages {
  const seen = seenFrames()

  const authorOf = async (id: string): Promise<RoomMemberKey | undefined> => {
    const known = roster.key(id)
    if (known !== undefined) return known
    const answer = await askNow({ type: 'credentials', room, ids: [id] })
    if (!isNo(answer)) await roster.learn(answer.senders)
    return roster.key(id)
  }
  /** What the author sealed. Throws when nobody with the key did. */
  const open = async ({ by, from, revision, text }: SealedMessage) => {
    const author = await authorOf(by)
    if (author === undefined || (revision === 0 && by !== from)) throw new TypeError('no author')
    return sealed.open(author, revision === 0 ? { kind: 'send' } : { kind: 'edit', from, revision }, text)
  }
  const believe = async (message: SealedMessage, take: (place: Parameters<typeof seen.live>[0]) => number | void): Promise<RoomMessage | null> => {
    const { at, from, seq, revision } = message
    try {
      const { text, counter } = await open(message)
      const missing = take({ seq, from, counter, revision })
      if (typeof missing === 'number' && missing > 0) warn(`before message ${seq}, ${missing} of its sender's did not arrive`)
      return { at, from, seq, text }
    } catch {
      warn(`message ${seq} is not what its sender sent, and is left out`)
      return null
    }
  }

  return {
    begin: member => seen.begin(member),
    arrived: (message, isCatchingUp) => believe(message, place => (isCatchingUp ? seen.stored(place) : seen.live(place))),
    changed: message => believe(message, place => seen.edited(place)),
    page: async ({ messages, senders }) => {
      await roster.learn(senders)
      const believed: RoomMessage[] = []
      for (const message of messages) {
        const read = await believe(message, place => seen.stored(place))
        if (read !== null) believed.push(read)
      }
      return believed
    },
    edit: async (seq, text) => {
      let answer: RoomAnswer<'edit'> | RoomsFail = refused('malformed')
      for (let left = EDIT_TRIES; left > 0; left -= 1) {
        const found = await ask({ type: 'find', room, seq })
        if (isNo(found)) return found
        const { from, revision } = found.message
        const opened = await open(found.message).catch(() => seen.at(seq))
        // Nobody could tell what is replaced.
        if (opened === undefined || found.message.seq !== seq) return refused('noSuchMessage')
        const wire = await own.sealEdit(text, { from, counter: opened.counter, revision: revision + 1 })
        answer = await ask({ type: 'edit', room, seq, text: wire, revision: revision + 1 })
        if (!isNo(answer) || answer.message !== roomsRefusals.malformed.message) return answer
      }
      return answer
    },
  }
}
