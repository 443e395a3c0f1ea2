import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, openSqlite, readConfig, type RoomConnection, type RoomNeeds, type RoomService, roomService } from '@deputy/server'
import { newId, newSecret, roomClient, type RoomClient, textsOf } from './room-client.ts'
import { type TestClock, testClock } from './test-clock.ts'
import type { ConfigFile } from './start-test-server.ts'

/** A person of the harness. */
export interface RoomPerson {
  readonly account: string
  premium: boolean
}

/** A client of the service alone, over a socket that is flushed by hand. */
export interface HarnessClient extends RoomClient {
  readonly connection: RoomConnection
  /** The code the socket was closed with; 0 when it was cut. */
  closedWith: number | null
  /** Bytes the far end has not taken; set it to hold the socket up. */
  waiting: number
  /** The socket breaks. */
  drop(): void
}

/** The room service alone: rows in a folder of its own, a clock moved by hand, and turns of the event loop run by hand. */
export interface RoomHarness {
  readonly clock: TestClock
  readonly config: Config
  readonly service: RoomService
  readonly rows: RoomNeeds['rows']
  readonly log: string[]
  readonly folder: string
  /** Answers of the next checks of sameness. */
  sameness: 'same' | 'different' | 'unknown'
  /** Makes the next commits of rows fail. */
  failing: boolean
  /** An account; its token signs it in to an app. */
  person(premium?: boolean): RoomPerson
  /** A session of the person in an app. */
  signIn(person: RoomPerson, app?: string): string
  endSession(token: string): Promise<void>
  connect(options?: { app?: string; token?: string; device?: string }): Promise<HarnessClient>
  /** Runs turns until nothing is under way. */
  flush(): Promise<void>
  /** Flushes until the promise is settled. */
  done<T>(promise: Promise<T>): Promise<T>
  /** Moves the clock and does what is due. */
  pass(milliseconds: number): Promise<void>
  /** The process ends without a word and another begins on the same rows. */
  crash(): Promise<void>
  close(): Promise<void>
}

/** The usual app of the tests. */
export const chatApp = 'web:https://chat.example'

/** Starts the room service for tests. */
export async function roomHarness(file: ConfigFile['rooms'] = {}): Promise<RoomHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'deputy-rooms-'))
  const config = readConfig({ file: { rooms: file } })
  const clock = testClock()
  const log: string[] = []
  const people = new Map<string, RoomPerson>()
  const sessions = new Map<string, { id: string; account: string; app: string; token: string }>()
  const writing = new Set<Promise<unknown>>()
  let turns: (() => void)[] = []
  const state: { sameness: RoomHarness['sameness']; failing: boolean } = { sameness: 'different', failing: false }
  const procedures = new URL('../../server/src/writes.ts', import.meta.url)

  const begin = async () => {
    const real: RoomNeeds['rows'] = await openSqlite(folder, procedures)
    const rows: RoomNeeds['rows'] = {
      ...real,
      write: (name, input) => {
        const written = state.failing && name !== 'renewRooms' ? Promise.reject(new Error('the disk is full')) : real.write(name, input)
        const settled = written.catch(() => undefined).finally(() => writing.delete(settled))
        writing.add(settled)
        return written
      },
    }
    const line = (event: string): void => void log.push(event)
    const service = roomService({
      ...{ rows, clock, config, alone: true },
      ids: { id: newId, token: newSecret, bytes: count => new Uint8Array(count) },
      log: { error: line, warn: line, info: line },
      profileOf: async account => {
        const person = people.get(account)
        const rest = { name: 'Ada', image: null, email: null, admin: false, premiumUntil: null, created: 0 }
        return person === undefined ? null : { id: account, premium: person.premium, ...rest }
      },
      findSession: async token => sessions.get(token) ?? null,
      sessionLives: async id => [...sessions.values()].some(session => session.id === id),
      sameApp: async (one, other) => (one === other ? 'same' : state.sameness),
      later: run => void turns.push(run),
    })
    return { rows, service, real }
  }
  let running = await begin()

  const flush = async (): Promise<void> => {
    for (let quiet = 0; quiet < 2;) {
      const now = turns
      turns = []
      for (const run of now) run()
      if (writing.size > 0) await Promise.all(writing)
      await new Promise(resolve => setImmediate(resolve))
      quiet = turns.length === 0 && writing.size === 0 ? quiet + 1 : 0
    }
  }
  const done = async <T>(promise: Promise<T>): Promise<T> => {
    let settled = false
    const marked = promise.finally(() => {
      settled = true
    })
    marked.catch(() => undefined)
    for (let round = 0; !settled && round < 50; round += 1) await flush()
    if (!settled) throw new Error('it is not settled although nothing is under way')
    return marked
  }
  await done(running.service.due())

  const harness: RoomHarness = {
    ...{ clock, config, log, folder },
    get service() {
      return running.service
    },
    get rows() {
      return running.rows
    },
    get sameness() {
      return state.sameness
    },
    set sameness(value) {
      state.sameness = value
    },
    get failing() {
      return state.failing
    },
    set failing(value) {
      state.failing = value
    },
    person: (premium = true) => {
      const person = { account: newId(), premium }
      people.set(person.account, person)
      return person
    },
    signIn: ({ account }, app = chatApp) => {
      const token = newSecret()
      sessions.set(token, { id: newId(), account, app, token })
      return token
    },
    endSession: async token => {
      const session = sessions.get(token)
      sessions.delete(token)
      if (session !== undefined) await done(running.service.sessionsChanged([session.id]))
    },
    connect: async ({ app = chatApp, token, device } = {}) => {
      const wire = { waiting: 0, closedWith: null as number | null }
      const connection = running.service.serve({
        write: frames => {
          for (const text of textsOf(Buffer.concat(frames))) client.take(text)
        },
        waiting: () => wire.waiting,
        close: code => {
          wire.closedWith = code
        },
        cut: () => {
          wire.closedWith = 0
        },
      })
      const client = Object.defineProperties(
        roomClient(text => connection.receive(text)),
        {
          connection: { value: connection },
          closedWith: { get: () => wire.closedWith },
          waiting: {
            get: () => wire.waiting,
            set: (value: number) => {
              wire.waiting = value
              connection.drained()
            },
          },
          drop: { value: () => connection.closed() },
        },
      ) as HarnessClient
      connection.receive(JSON.stringify({ type: 'hello', app, ...(token === undefined ? {} : { token }), ...(device === undefined ? {} : { device }) }))
      await flush()
      return client
    },
    flush,
    done,
    pass: async milliseconds => {
      clock.advance(milliseconds)
      await done(running.service.due())
    },
    crash: async () => {
      // Nothing of the old process is heard again: its turns are dropped and its rows closed under it.
      await Promise.all(writing)
      turns = []
      await running.real.close()
      running = await begin()
      await running.rows.write('voidRoomLeases', { now: clock.now() })
      await done(running.service.due())
    },
    close: async () => {
      await done(running.service.close())
      await running.real.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
  return harness
}
