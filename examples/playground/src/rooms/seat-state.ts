import type { Room, RoomDefaults, RoomEvent, RoomMember } from '@deputy/client/rooms'
import { personIn, readWords, type Person } from './words.ts'

/** What a seat shows of its room beside the messages. */
export interface SeatState {
  readonly self: RoomMember
  readonly owner: string
  readonly claimed: boolean
  readonly mailbox: boolean
  readonly defaults: RoomDefaults | null
  readonly members: readonly RoomMember[]
  /** Everybody who has said a name, also those who left. */
  readonly people: ReadonlyMap<string, Person>
  /** When the claim ends as its owner says, in epoch ms. */
  readonly until: number | null
  /** Members blocked while this seat was held. */
  readonly blocked: readonly string[]
}

/** The state as the seat is taken. */
export const stateOf = (room: Room): SeatState => {
  const { self, owner, claimed, mailbox } = room
  return { self, owner, claimed, mailbox: mailbox !== null, defaults: null, members: [self], people: new Map(), until: null, blocked: [] }
}

/** The state after an event. */
export function stateAfter(state: SeatState, event: RoomEvent): SeatState {
  if (event.type === 'message') return heard(state, event)
  if (event.type === 'joined') return { ...state, members: [...state.members.filter(({ id }) => id !== event.member.id), event.member] }
  if (event.type === 'left') {
    const members = state.members.filter(({ id }) => id !== event.id)
    return { ...state, members, blocked: event.reason === 'blocked' ? [...new Set([...state.blocked, event.id])] : state.blocked }
  }
  if (event.type === 'defaults') return { ...state, defaults: event.defaults }
  if (event.type === 'claim') {
    const { claimed, mailbox, owner } = event
    return { ...state, claimed, mailbox: claimed && mailbox, owner, until: claimed ? state.until : null }
  }
  if (event.type !== 'permissions') return state
  const { id, maxMessageBytes, permissions } = event
  const member = { id, maxMessageBytes, permissions }
  return { ...state, self: id === state.self.id ? member : state.self, members: state.members.map(known => (known.id === id ? member : known)) }
}

function heard(state: SeatState, { message: { from, text }, replayed }: RoomEvent & { type: 'message' }): SeatState {
  const words = readWords(text)
  const person = personIn(words)
  if (person === null) return state
  const { people } = state
  const known = people.get(from)
  // A name read in old messages does not overrule what the person is called now.
  const isNews = known === undefined || (!replayed && (known.name !== person.name || known.colour !== person.colour))
  // Only the owner knows when the claim ends, and old messages know it no more.
  const until = !replayed && from === state.owner && 'until' in words ? (typeof words['until'] === 'number' ? words['until'] : null) : state.until
  if (!isNews && until === state.until) return state
  return { ...state, until, people: isNews ? new Map(people).set(from, person) : people }
}
