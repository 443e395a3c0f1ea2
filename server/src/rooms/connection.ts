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
  const connection = new SocketConnection(core, wire)
  core.connections.add(connection)
  return connection
}

interface Drainer {
  readonly bytes: number
  resolve(): void
}

/** A class, so that what a socket costs while it is idle is its fields alone: there can be very many. */
class SocketConnection implements Connection {
  readonly challenge: string
  readonly seats = new Map<string, Seat>()
  unsent: Buffer[] = []
  session: Session | null = null
  app = ''
  device: string | null = null
  #state: 'new' | 'greeting' | 'open' | 'closed' = 'new'
  #refused = 0
  #drainers: Drainer[] | null = null
  readonly #core: Core
  readonly #wire: Wire
  readonly #bucket: Bucket

  constructor(core: Core, wire: Wire) {
    this.#core = core
    this.#wire = wire
    this.#bucket = fullBucket(core.config.rooms.requestRate * 2, core.clock.now())
    this.challenge = core.ids.token()
  }

  get open(): boolean {
    return this.#state === 'open'
  }

  receive(text: string): void {
    if (this.#state === 'closed') return
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return this.leave(ROOM_CLOSE.malformed)
    }
    if (this.#state === 'new') {
      this.#greet(value).catch((error: unknown) => {
        if (!(error instanceof ShapeError)) this.#core.log.error('room-hello-failed', placeOf(error))
        this.leave(error instanceof ShapeError ? ROOM_CLOSE.malformed : ROOM_CLOSE.away)
      })
      return
    }
    if (this.#state === 'greeting' || typeof value !== 'object' || value === null) return this.leave(ROOM_CLOSE.malformed)
    const { id, type } = value as { id?: unknown; type?: unknown }
    if (typeof id !== 'string' || !requestId.test(id)) return this.leave(ROOM_CLOSE.malformed)
    const { clock, config, pump } = this.#core
    if (!take(this.#bucket, config.rooms.requestRate, config.rooms.requestRate * 2, clock.now())) {
      this.#refused += 1
      if (this.#refused > patience) return this.leave(ROOM_CLOSE.tooMany)
      return pump.send(this, noFrame(id, refuse(roomsRefusals.rateLimited)))
    }
    this.#refused = 0
    try {
      if (typeof type !== 'string' || !Object.hasOwn(roomRequests, type)) throw new ShapeError('type', 'a request')
      const shape: Shape = roomRequests[type as keyof typeof roomRequests]
      this.#dispatch(parse(shape, value) as RoomRequest)
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error
      pump.send(this, noFrame(id, refuse(roomsRefusals.malformed)))
    }
  }

  closed(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#core.connections.delete(this)
    for (const seat of this.seats.values()) if (seat.connection === this) holdSeat(this.#core, seat)
    this.seats.clear()
    this.unsent = []
    for (const { resolve } of this.#drainers ?? []) resolve()
    this.#drainers = null
  }

  drained(): void {
    if (this.#drainers === null) return
    const waiting = this.#wire.waiting()
    const drainers = this.#drainers
    const left = drainers.filter(({ bytes }) => waiting > bytes)
    this.#drainers = left.length === 0 ? null : left
    for (const { bytes, resolve } of drainers) if (waiting <= bytes) resolve()
  }

  flush(): void {
    if (this.unsent.length === 0 || this.#state === 'closed') return
    const frames = this.unsent
    this.unsent = []
    this.#wire.write(frames)
    if (this.#wire.waiting() > this.#core.config.rooms.waiting) this.end()
  }

  taken(bytes: number): Promise<void> {
    return new Promise(resolve => {
      this.flush()
      if (this.#state === 'closed' || this.#wire.waiting() <= bytes) return resolve()
      this.#drainers ??= []
      this.#drainers.push({ bytes, resolve })
    })
  }

  leave(code: number): void {
    if (this.#state === 'closed') return
    this.flush()
    this.#wire.close(code)
    this.closed()
  }

  end(): void {
    this.#wire.cut()
    this.closed()
  }

  async #greet(value: unknown): Promise<void> {
    this.#state = 'greeting'
    const hello = parse(helloFrame, value)
    const session = hello.token === undefined ? null : await this.#core.findSession(hello.token)
    if (this.#state !== 'greeting') return
    if (hello.token !== undefined && session === null) return this.leave(ROOM_CLOSE.unauthorized)
    if (session !== null && session.app !== hello.app) return this.leave(ROOM_CLOSE.denied)
    this.#state = 'open'
    this.session = session
    this.app = hello.app
    this.device = hello.device ?? null
    this.#core.pump.send(this, textFrame(JSON.stringify({ type: 'welcome', challenge: this.challenge, signedIn: session !== null })))
  }

  async #signIn({ id, token }: RoomRequest<'session'>): Promise<void> {
    const core = this.#core
    const session = token === null ? null : await core.findSession(token)
    if (token !== null && (session === null || session.app !== this.app)) return core.pump.send(this, noFrame(id, refuse(roomsRefusals.permissionDenied)))
    this.session = session
    for (const seat of this.seats.values()) enqueue(core, seat.room, () => setAccount(core, seat, session?.account ?? null))
    core.pump.send(this, okFrame(id, '{}'))
  }

  #dispatch(request: RoomRequest): void {
    switch (request.type) {
      case 'session':
        return this.#background(this.#signIn(request))
      case 'join':
        return this.#background(join(this.#core, this, request))
      case 'resume':
        return this.#background(resume(this.#core, this, request))
      default:
        this.#seated(request)
    }
  }

  #background(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#core.log.error('room-request-failed', placeOf(error))
      this.leave(ROOM_CLOSE.away)
    })
  }

  #seated(request: RoomRequest<SeatRequest>): void {
    const core = this.#core
    const { rooms } = core.config
    const { id, type } = request
    const no = (refusal: (typeof roomsRefusals)[keyof typeof roomsRefusals]): void => core.pump.send(this, noFrame(id, refuse(refusal)))
    const seat = this.seats.get(request.room)
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
    if (type === 'backlog' || type === 'find' || type === 'credentials') return this.#background(Promise.resolve(handle(call)))
    enqueue(core, seat.room, () => {
      if (seat.room.gone) return call.no(roomsRefusals.unavailable)
      if (seat.room.seats.get(seat.member) !== seat) return call.no(roomsRefusals.closed)
      return handle(call)
    })
  }
}
