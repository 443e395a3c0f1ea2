import { refuse } from '@deputy/contract/refusals'
import { helloFrame, ROOM_CLOSE, ROOM_WINDOW, roomRequests, type RoomRequest } from '@deputy/contract/room-wire'
import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import type { Shape } from '@deputy/contract/shape'
import { parse, ShapeError } from '@deputy/contract/validate'
import { placeOf } from '../operations/log.ts'
import type { Session } from '../services.ts'
import { type Bucket, fullBucket, take } from './bucket.ts'
import { type SeatRequest, seatCall, tellSeat } from './call.ts'
import type { Core } from './core.ts'
import { holdSeat } from './ends.ts'
import { join } from './join.ts'
import { enqueue } from './queue.ts'
import { requests } from './requests.ts'
import { resume } from './resume.ts'
import type { Seat } from './room.ts'
import { setAccount } from './seats.ts'
import { noFrame, okFrame } from './turn.ts'
import { textFrame, type Wire } from './wire.ts'

/** One socket of a broker, with its seats. */
export interface Connection {
  readonly challenge: string
  readonly seats: Map<string, Seat>
  /** Frames of this tick. */
  unsent: Buffer[]
  session: Session | null
  app: string
  device: string | null
  readonly open: boolean
  /** Takes a frame of the client. */
  receive(text: string): void
  /** The socket is gone: its seats are held. */
  closed(): void
  /** The network took something. */
  drained(): void
  /** Writes the frames of this tick; a client that does not read is cut off. */
  flush(): void
  /** Resolves once at most so many bytes wait. */
  taken(bytes: number): Promise<void>
  /** Cuts the socket off; its seats are held. */
  end(): void
  /** Closes the socket with a code; its seats are held. */
  leave(code: number): void
}

const requestId = /^[A-Za-z0-9_-]{22}$/
// Requests refused in a row for being too many until the socket is closed.
const patience = 2000

/** Serves a socket. */
export function makeConnection(core: Core, wire: Wire): Connection {
  const { rooms } = core.config
  let state: 'new' | 'greeting' | 'open' | 'closed' = 'new'
  const bucket: Bucket = fullBucket(rooms.requestRate * 2, core.clock.now())
  let refused = 0
  let drainers: { bytes: number; resolve: () => void }[] = []

  const close = (code: number): void => {
    if (state === 'closed') return
    connection.flush()
    wire.close(code)
    connection.closed()
  }

  const greet = async (value: unknown): Promise<void> => {
    state = 'greeting'
    const hello = parse(helloFrame, value)
    const session = hello.token === undefined ? null : await core.findSession(hello.token)
    if (state !== 'greeting') return
    if (hello.token !== undefined && session === null) return close(ROOM_CLOSE.unauthorized)
    if (session !== null && session.app !== hello.app) return close(ROOM_CLOSE.denied)
    state = 'open'
    connection.session = session
    connection.app = hello.app
    connection.device = hello.device ?? null
    core.pump.send(connection, textFrame(JSON.stringify({ type: 'welcome', challenge: connection.challenge, signedIn: session !== null })))
  }

  const signIn = async ({ id, token }: RoomRequest<'session'>): Promise<void> => {
    const session = token === null ? null : await core.findSession(token)
    if (token !== null && (session === null || session.app !== connection.app))
      return core.pump.send(connection, noFrame(id, refuse(roomsRefusals.permissionDenied)))
    connection.session = session
    for (const seat of connection.seats.values()) enqueue(core, seat.room, () => setAccount(core, seat, session?.account ?? null))
    core.pump.send(connection, okFrame(id, '{}'))
  }

  const dispatch = (request: RoomRequest): void => {
    switch (request.type) {
      case 'session':
        return background(signIn(request))
      case 'join':
        return background(join(core, connection, request))
      case 'resume':
        return background(resume(core, connection, request))
      default:
        seated(request)
    }
  }

  const background = (work: Promise<void>): void => {
    work.catch((error: unknown) => {
      core.log.error('room-request-failed', placeOf(error))
      close(ROOM_CLOSE.away)
    })
  }

  const seated = (request: RoomRequest<SeatRequest>): void => {
    const { id, type } = request
    const no = (refusal: (typeof roomsRefusals)[keyof typeof roomsRefusals]): void => core.pump.send(connection, noFrame(id, refuse(refusal)))
    const seat = connection.seats.get(request.room)
    if (seat === undefined) return no(roomsRefusals.closed)
    const done = seat.answers.get(id)
    if (done !== undefined) return done === null ? undefined : tellSeat(core, seat, done)
    if (seat.unanswered >= ROOM_WINDOW) return no(roomsRefusals.rateLimited)
    if ((type === 'send' || type === 'edit' || type === 'delete') && !take(seat.bucket, rooms.sendRate, rooms.sendBurst, core.clock.now()))
      return no(roomsRefusals.rateLimited)
    // The client has the newest token: the one before is of no use any more.
    seat.tokenBefore = null
    const call = seatCall(core, seat.room, seat, request)
    const handle = requests[type] as (of: typeof call) => void | Promise<void>
    if (type === 'backlog' || type === 'find' || type === 'credentials') return background(Promise.resolve(handle(call)))
    enqueue(core, seat.room, () => {
      if (seat.room.gone) return call.no(roomsRefusals.unavailable)
      if (seat.room.seats.get(seat.member) !== seat) return call.no(roomsRefusals.closed)
      return handle(call)
    })
  }

  const connection: Connection = {
    challenge: core.ids.token(),
    seats: new Map(),
    unsent: [],
    session: null,
    app: '',
    device: null,
    get open() {
      return state === 'open'
    },
    receive: text => {
      if (state === 'closed') return
      let value: unknown
      try {
        value = JSON.parse(text)
      } catch {
        return close(ROOM_CLOSE.malformed)
      }
      if (state === 'new') {
        greet(value).catch((error: unknown) => {
          if (!(error instanceof ShapeError)) core.log.error('room-hello-failed', placeOf(error))
          close(error instanceof ShapeError ? ROOM_CLOSE.malformed : ROOM_CLOSE.away)
        })
        return
      }
      if (state === 'greeting' || typeof value !== 'object' || value === null) return close(ROOM_CLOSE.malformed)
      const { id, type } = value as { id?: unknown; type?: unknown }
      if (typeof id !== 'string' || !requestId.test(id)) return close(ROOM_CLOSE.malformed)
      if (!take(bucket, rooms.requestRate, rooms.requestRate * 2, core.clock.now())) {
        refused += 1
        if (refused > patience) return close(ROOM_CLOSE.tooMany)
        return core.pump.send(connection, noFrame(id, refuse(roomsRefusals.rateLimited)))
      }
      refused = 0
      try {
        if (typeof type !== 'string' || !Object.hasOwn(roomRequests, type)) throw new ShapeError('type', 'a request')
        const shape: Shape = roomRequests[type as keyof typeof roomRequests]
        dispatch(parse(shape, value) as RoomRequest)
      } catch (error) {
        if (!(error instanceof ShapeError)) throw error
        core.pump.send(connection, noFrame(id, refuse(roomsRefusals.malformed)))
      }
    },
    closed: () => {
      if (state === 'closed') return
      state = 'closed'
      core.connections.delete(connection)
      for (const seat of connection.seats.values()) if (seat.connection === connection) holdSeat(core, seat)
      connection.seats.clear()
      connection.unsent = []
      for (const { resolve } of drainers) resolve()
      drainers = []
    },
    drained: () => {
      const waiting = wire.waiting()
      const ready = drainers.filter(({ bytes }) => waiting <= bytes)
      drainers = drainers.filter(({ bytes }) => waiting > bytes)
      for (const { resolve } of ready) resolve()
    },
    flush: () => {
      if (connection.unsent.length === 0 || state === 'closed') return
      const frames = connection.unsent
      connection.unsent = []
      wire.write(frames)
      if (wire.waiting() > rooms.waiting) connection.end()
    },
    taken: bytes =>
      new Promise(resolve => {
        connection.flush()
        if (state === 'closed' || wire.waiting() <= bytes) resolve()
        else drainers.push({ bytes, resolve })
      }),
    leave: close,
    end: () => {
      wire.cut()
      connection.closed()
    },
  }
  core.connections.add(connection)
  return connection
}
