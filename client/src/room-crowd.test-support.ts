import type { RoomEvent } from '@deputy/contract/room-events'
import type { RoomEnd, RoomMember, RoomMessage } from '@deputy/contract/room-types'
import { textOf, type Envelope } from './room-envelope.ts'
import { heardBy, listening, type Listeners } from './room-listeners.ts'
import { RoomsError, type Room } from './rooms.ts'

const permissions = { send: true, receive: true, remove: false, block: false }

/** A member of a crowd: the part of a `Room` that helpers use, and what a test does to it. */
export interface CrowdMember extends Pick<Room, 'on' | 'send' | 'members' | 'closed' | 'self' | 'backlog' | 'mailbox'> {
  /** Says what no helper would. */
  say(envelope: Envelope): Promise<void>
  /** Ends the room for this member; the others hear that it left. */
  leave(reason?: RoomEnd['reason']): void
  /** Listeners that stand. */
  readonly standing: number
}

/** A room in memory that gives all its members the same events in one order. */
export interface Crowd {
  enter(id: string, maxMessageBytes?: number): CrowdMember
  /** Texts in the order they were sent. */
  readonly sent: string[]
  /** Called before a message is taken; what it throws refuses it. */
  before: (from: string, text: string) => void
  /** Calls every listener of every member. */
  tell(event: RoomEvent): void
}

/** An empty room, with a mailbox if it is said to keep messages. */
export function crowd({ keeps = false }: { readonly keeps?: boolean } = {}): Crowd {
  const present = new Map<string, { readonly member: RoomMember; readonly listeners: Listeners }>()
  const stored: RoomMessage[] = []
  const tell = (event: RoomEvent): void => {
    for (const { listeners } of [...present.values()]) listeners.tell(event)
  }
  const own: Crowd = {
    sent: [],
    before: () => {},
    tell,
    enter: (id, maxMessageBytes = 65_536) => {
      const member = { id, maxMessageBytes, permissions }
      const listeners = listening()
      const { promise: closed, resolve } = Promise.withResolvers<RoomEnd>()
      let standing = 0
      const counted: Listeners = {
        ...listeners,
        watch: listener => {
          const off = listeners.watch(listener)
          standing += 1
          return () => {
            standing -= 1
            off()
          }
        },
      }
      tell({ type: 'joined', member })
      present.set(id, { member, listeners })
      const room: CrowdMember = {
        ...{ self: member, closed, mailbox: keeps ? { archived: false, bytes: 0, cap: 1, messages: 0 } : null },
        get standing() {
          return standing
        },
        on: async listener => {
          const off = listeners.add(listener)
          standing += 1
          return () => {
            standing -= 1
            off()
          }
        },
        members: async () => [...present.values()].map(({ member }) => member),
        send: async text => {
          await Promise.resolve()
          if (!present.has(id)) throw new RoomsError('closed', 'closed')
          own.before(id, text)
          own.sent.push(text)
          const message = { at: own.sent.length, from: id, seq: own.sent.length, text }
          if (keeps) stored.push(message)
          tell({ type: 'message', message, replayed: false })
        },
        say: envelope => room.send(textOf(envelope)),
        backlog: async (after, limit = 2) => {
          await Promise.resolve()
          if (!present.has(id)) throw new RoomsError('closed', 'closed')
          const above = stored.filter(({ seq }) => seq > after)
          const page = above.slice(0, limit)
          for (const message of page) listeners.tell({ type: 'message', message, replayed: true })
          return { last: page.at(-1)?.seq ?? after, more: above.length > limit }
        },
        leave: (reason = 'left') => {
          present.delete(id)
          tell({ type: 'left', id, reason: 'left' })
          resolve({ reason })
        },
      }
      heardBy(room, counted)
      return room
    },
  }
  return own
}
