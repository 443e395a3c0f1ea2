/** What a page runs in tests of rooms: the library, and what its rooms told. Bundled by `room-page.ts`. */
import * as client from '@deputy/client'
import { create, join, open, type Room, type RoomEvent, type RoomOpenOptions } from '@deputy/client/rooms'
import * as messages from '@deputy/client/rooms/messages'
import * as payloads from '@deputy/client/rooms/payloads'
import * as presence from '@deputy/client/rooms/presence'
import * as requests from '@deputy/client/rooms/requests'

const parts = { ...messages, ...payloads, ...presence, ...requests }

/** A room the page is in, with all its listener heard. */
export interface HeardRoom {
  readonly room: Room
  readonly events: RoomEvent[]
  /** Resolves once an event passes; looks at all that were heard. */
  until(passes: (event: RoomEvent) => boolean): Promise<RoomEvent>
  /** Texts of the messages heard, in order. */
  texts(): string[]
  end: string | undefined
}

export interface RoomRealm {
  readonly client: typeof client
  /** What is built on rooms. */
  readonly parts: typeof parts
  readonly rooms: HeardRoom[]
  open(name: string, options?: RoomOpenOptions): Promise<number>
  create(options?: RoomOpenOptions): Promise<number>
  join(invite: string): Promise<number>
  /** How a promise ended: `ok`, or code and message of the error. */
  outcome(promise: Promise<unknown>): Promise<string>
}

async function heard(entering: Promise<Room>): Promise<number> {
  const room = await entering
  const looks = new Set<() => void>()
  const own: HeardRoom = {
    room,
    events: [],
    end: undefined,
    until: passes =>
      new Promise(resolve => {
        const look = () => {
          const found = own.events.find(passes)
          if (found === undefined) return
          looks.delete(look)
          resolve(found)
        }
        looks.add(look)
        look()
      }),
    texts: () => own.events.flatMap(event => (event.type === 'message' ? [event.message.text] : [])),
  }
  await room.on(event => {
    own.events.push(event)
    for (const look of [...looks]) look()
  })
  void room.closed.then(({ reason }) => (own.end = reason))
  return realm.rooms.push(own) - 1
}

const realm: RoomRealm = {
  client,
  parts,
  rooms: [],
  open: (name, options) => heard(open(name, options)),
  create: options => heard(create(options)),
  join: invite => heard(join(invite)),
  outcome: promise =>
    promise.then(
      () => 'ok',
      (error: Error & { code?: string }) => `${error.name} ${error.code ?? ''}: ${error.message}`,
    ),
}

client.configure({ broker: new URLSearchParams(location.search).get('broker') ?? '' })
Object.assign(globalThis, { roomRealm: realm })
