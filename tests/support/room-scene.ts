import assert from 'node:assert/strict'
import type { RoomRequest } from '@deputy/contract/room-wire'
import { type Answered, type MemberKeys, memberKeys, newSecret, sealedText } from './room-client.ts'
import type { HarnessClient, RoomHarness, RoomPerson } from './room-harness.ts'

type Type = RoomRequest['type']
type Fields<T extends Type> = Omit<RoomRequest<T>, 'type' | 'id' | 'room'>

/** A client with a seat in a room. */
export interface Guest {
  readonly client: HarnessClient
  readonly keys: MemberKeys
  readonly member: string
  readonly seat: NonNullable<Answered<'join'>['value']>
  /** Asks in the room and flushes until the answer is there. */
  ask<T extends Type>(type: T, fields: Fields<T>): Promise<Answered<T>>
  /** Asks, and must be granted. */
  may<T extends Type>(type: T, fields: Fields<T>): Promise<NonNullable<Answered<T>['value']>>
  /** Asks, and must be refused: code and message. */
  mayNot<T extends Type>(type: T, fields: Fields<T>): Promise<{ error: string; message: string }>
  /** Sends text and answers its seq. */
  say(text: string): Promise<number>
  /** The events it heard. */
  events(): ReturnType<HarnessClient['events']>
}

/** How a guest comes. */
export interface GuestOptions {
  readonly app?: string
  readonly person?: RoomPerson
  readonly device?: string
  readonly create?: RoomRequest<'join'>['create'] | null
}

/** A room of its own, for one test. */
export interface Scene {
  readonly room: string
  readonly key: string
  /** A client that takes a seat. */
  enter(options?: GuestOptions): Promise<Guest>
  /** A client that tries to: the refusal. */
  refused(options?: GuestOptions & { key?: string }): Promise<{ error: string; message: string }>
  /** A member of premium standing who has claimed the room. */
  claimer(options?: Partial<RoomRequest<'claim'>>, app?: string): Promise<Guest & { person: RoomPerson }>
}

let rooms = 0

/** A room that nobody else uses; of the app's scope unless said. */
export function scene(harness: RoomHarness, { scope = 'chat.example' }: { scope?: string } = {}): Scene {
  rooms += 1
  const [room, key] = [`${scope}/room-${rooms}`, newSecret()]
  const come = async ({ app, person, device }: GuestOptions): Promise<HarnessClient> =>
    harness.connect({
      ...(app === undefined ? {} : { app }),
      ...(person === undefined ? {} : { token: harness.signIn(person, app) }),
      ...(device === undefined ? {} : { device }),
    })
  const enter = async (options: GuestOptions = {}): Promise<Guest> => {
    const client = await come(options)
    const keys = memberKeys(room)
    const joined = await harness.done(client.join(room, key, { keys, ...(options.create === undefined ? {} : { create: options.create }) }))
    assert.equal(joined.error, undefined, joined.error === undefined ? '' : joined.message)
    assert.ok(joined.value)
    const ask: Guest['ask'] = (type, fields) => harness.done(client.ask(type, { room, ...fields } as never))
    return {
      ...{ client, keys, member: keys.member, seat: joined.value, ask },
      may: async (type, fields) => {
        const answer = await ask(type, fields)
        assert.ok(answer.value, `${type} was refused: ${answer.error} ${answer.message}`)
        return answer.value
      },
      mayNot: async (type, fields) => {
        const { error, message } = await ask(type, fields)
        assert.ok(error !== undefined && message !== undefined, `${type} was granted`)
        return { error, message }
      },
      say: async text => {
        const { value } = await harness.done(client.ask('send', { room, text: sealedText(text) }))
        assert.ok(value)
        return value.seq
      },
      events: () => client.events(room),
    }
  }
  return {
    ...{ room, key, enter },
    refused: async options => {
      const client = await come(options ?? {})
      const { error, message } = await harness.done(client.join(room, options?.key ?? key, options?.create === undefined ? {} : { create: options.create }))
      assert.ok(error !== undefined && message !== undefined, 'the join was granted')
      return { error, message }
    },
    claimer: async (options = {}, app) => {
      const person = harness.person()
      const guest = await enter({ person, ...(app === undefined ? {} : { app }) })
      await guest.may('claim', { description: undefined, mailbox: undefined, temporary: undefined, ...options })
      return { ...guest, person }
    },
  }
}

/** A refusal of the table, as it is answered. */
export const refusal = ({ code, message }: { code: string; message: string }): { error: string; message: string } => ({ error: code, message })
