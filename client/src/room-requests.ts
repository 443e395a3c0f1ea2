import type { RoomEvent } from '@deputy/contract/room-events'
import { envelopeOf, type Envelope, type Json } from './room-envelope.ts'
import { onEnd, watch } from './room-listeners.ts'
import { sayPaced, sendPaced } from './room-pace.ts'
import type { Room } from './rooms.ts'

export type { Json } from './room-envelope.ts'

/**
 * Why a request has no answer: its time ran out, the member is not there (any more), the room has ended, the member serves nothing under
 * the name, or what serves it threw.
 */
export type RoomRequestErrorCode = 'deadline' | 'gone' | 'closed' | 'unknown' | 'failed'

/** A request without an answer. Branch on `code`. */
export class RoomRequestError extends Error {
  override readonly name = 'RoomRequestError'
  readonly code: RoomRequestErrorCode
  constructor(code: RoomRequestErrorCode) {
    super(`deputy: the request ended: ${code}`)
    this.code = code
  }
}

/** What a request may say. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until it ends `deadline`; 10 s unless said. */
  readonly deadline?: number
}

/** Who asks, and a signal that fires when nobody waits for the answer any more. */
export interface RequestCall {
  readonly from: string
  readonly signal: AbortSignal
}

/** Answers a request with data; what it throws is reported here, and the asking side learns only that it failed. */
export type RequestHandler = (data: Json, call: RequestCall) => Json | void | Promise<Json | void>

/** What requests need of a room. */
export type Asked = Pick<Room, 'on' | 'send' | 'members' | 'closed' | 'self'>

interface Pending {
  readonly member: string
  readonly settle: (envelope: Envelope) => void
  readonly fail: (code: RoomRequestErrorCode) => void
}

/** The requests of one room, those of this page and those to it. */
interface Desk {
  readonly pending: Map<string, Pending>
  readonly handlers: Map<string, RequestHandler>
  /** Requests being answered, by member and id. */
  readonly open: Map<string, AbortController>
  isOver: boolean
}

/** Requests that are answered at the same time, for one member and for all; further ones are left to their deadline. */
const OPEN = { each: 64, all: 256 } as const

const desks = new WeakMap<object, Promise<Desk>>()

/**
 * Asks one member and answers what it says: its word, so look at it before you use it. Everybody in the room can read both.
 * @throws {RoomRequestError} @throws {RoomsError} when it cannot be sent; the signal's reason.
 */
export async function request(room: Asked, member: string, name: string, data: Json = null, { signal, deadline = 10_000 }: RequestOptions = {}): Promise<Json> {
  signal?.throwIfAborted()
  const desk = await deskOf(room)
  const { pending } = desk
  const id = crypto.randomUUID()
  const over = new AbortController()
  const { promise, resolve, reject } = Promise.withResolvers<Json>()
  let isSent = false
  const abort = (): void => reject(signal?.reason)
  const fail = (code: RoomRequestErrorCode): void => reject(new RoomRequestError(code))
  pending.set(id, {
    member,
    fail,
    settle: ({ error, data = null }) => (error === undefined ? resolve(data) : fail(error === 'unknown' ? 'unknown' : 'failed')),
  })
  const timer = setTimeout(() => fail('deadline'), deadline)
  signal?.addEventListener('abort', abort)
  sendPaced(room, { kind: 'ask', id, to: member, name, data }, { signal: over.signal, isUrgent: true }).then(() => (isSent = true), reject)
  // One that left before was told of before.
  room.members().then(
    members => members.some(({ id }) => id === member) || fail('gone'),
    () => undefined,
  )
  if (desk.isOver) fail('closed')
  try {
    return await promise
  } catch (error) {
    over.abort(error)
    const isAnswered = error instanceof RoomRequestError && error.code !== 'deadline'
    // Whoever works on it may stop.
    if (isSent && !isAnswered) sayPaced(room, { kind: 'cancel', id, to: member })
    throw error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    pending.delete(id)
  }
}

/**
 * Answers the requests under a name until the answered function is called or the room ends. A page that serves any name tells those who ask
 * for another one that it is unknown.
 * @throws {TypeError} when this page serves the name in this room already.
 */
export async function serve(room: Asked, name: string, handler: RequestHandler): Promise<() => void> {
  const { handlers } = await deskOf(room)
  if (handlers.has(name)) throw new TypeError(`deputy: "${name}" is served already`)
  handlers.set(name, handler)
  return () => void (handlers.get(name) === handler && handlers.delete(name))
}

function deskOf(room: Asked): Promise<Desk> {
  const known = desks.get(room) ?? openDesk(room)
  desks.set(room, known)
  return known
}

async function openDesk(room: Asked): Promise<Desk> {
  const desk: Desk = { pending: new Map(), handlers: new Map(), open: new Map(), isOver: false }
  const { pending, open } = desk
  const off = await watch(room, event => {
    if (event.type === 'left') {
      for (const waiting of pending.values()) if (waiting.member === event.id) waiting.fail('gone')
      for (const [key, controller] of open) if (key.startsWith(`${event.id} `)) controller.abort()
      return
    }
    hear(room, desk, event)
  })
  onEnd(room, () => {
    off()
    desk.isOver = true
    for (const waiting of pending.values()) waiting.fail('closed')
    for (const controller of open.values()) controller.abort()
  })
  return desk
}

function hear(room: Asked, desk: Desk, event: RoomEvent): void {
  const { from, envelope } = envelopeOf(event) ?? {}
  if (from === undefined || envelope?.['to'] !== room.self.id || typeof envelope['id'] !== 'string') return
  const { kind, id, name } = envelope
  if (kind === 'answer') {
    const waiting = desk.pending.get(id)
    if (waiting?.member === from) waiting.settle(envelope)
  } else if (kind === 'cancel') desk.open.get(`${from} ${id}`)?.abort()
  else if (kind === 'ask' && typeof name === 'string' && desk.handlers.size > 0) void answer(room, desk, { from, id, name, data: envelope['data'] ?? null })
}

async function answer(
  room: Asked,
  { handlers, open }: Desk,
  { from, id, name, data }: { readonly from: string; readonly id: string; readonly name: string; readonly data: Json },
): Promise<void> {
  const key = `${from} ${id}`
  const ofMember = [...open.keys()].filter(other => other.startsWith(`${from} `))
  if (open.has(key) || open.size >= OPEN.all || ofMember.length >= OPEN.each) return
  const controller = new AbortController()
  open.set(key, controller)
  const reply = (words: { readonly data: Json } | { readonly error: string }): Promise<void> =>
    sendPaced(room, { kind: 'answer', id, to: from, ...words }, { signal: controller.signal, isUrgent: true })
  try {
    const handler = handlers.get(name)
    if (handler === undefined) await reply({ error: 'unknown' })
    else await reply({ data: (await handler(data, { from, signal: controller.signal })) ?? null })
  } catch (error) {
    if (controller.signal.aborted) return
    // Everybody in the room would read what the error says.
    reportError(error)
    await reply({ error: 'failed' }).catch(() => undefined)
  } finally {
    open.delete(key)
  }
}
