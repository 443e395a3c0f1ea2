import { ROOM_CLOSE, roomAnswers, roomRequests, serverFrame, type RoomAnswer, type ServerFrame } from '@deputy/contract/room-wire'
import type { RoomsFail } from '@deputy/contract/room-types'
import type { Sent } from '@deputy/contract/shape'
import { fits, parse } from '@deputy/contract/validate'
import { toBase64url } from '../base64url.ts'

/** A request by name, without its id. */
export type Asking<T extends RequestName> = { readonly type: T } & Omit<Sent<(typeof roomRequests)[T]>, 'id' | 'type'>
export type RequestName = keyof typeof roomRequests
/** The answer to a request, told at once and in the order of the events around it. */
export type Answered<T extends RequestName> = (answer: RoomAnswer<T> | RoomsFail) => void

/** A frame about one room. */
export type RoomNews = Extract<ServerFrame, { room: string }>

/** One live socket, greeted. */
export interface Live {
  readonly challenge: string
  /** Sends a request under an id of its own or the one given. Nothing is answered once the socket is gone. */
  ask<T extends RequestName>(request: Asking<T>, answered: Answered<T>, id?: string): void
  /** Resolves once the socket is gone. */
  readonly gone: Promise<void>
  /** Drops the socket, which is opened again. */
  drop(): void
}

/** A seat's end of the line. */
export interface LineSeat {
  readonly room: string
  /** The socket is there again. */
  back(live: Live): void
  /** The socket is gone. */
  dropped(): void
  hear(news: RoomNews): void
}

/** A socket that is opened again as long as it has seats. */
export interface Line {
  readonly seats: ReadonlyMap<string, LineSeat>
  /** The socket, once it is greeted; null when the service could not be reached this time. */
  live(): Promise<Live | null>
  /** Calls whenever a claim refused for the account's room limit is worth repeating. Answers the end of it. */
  whenFreed(listener: () => void): () => void
  /** Keeps the line for the seat until the answer is called. */
  attach(seat: LineSeat): () => void
  /** Drops the socket until `wake`: the page is put away and may come back. */
  sleep(): void
  wake(): void
  /** Tells the service that another session is acting, or none. */
  session(token: string | null): void
}

/** What a line needs. */
export interface LineNeeds {
  /** `ws:` or `wss:` url of the room service; null while it is not known. */
  readonly url: () => Promise<string | null>
  readonly hello: () => Promise<{ readonly app: string; readonly token?: string; readonly device?: string }>
  /** Called when the line has no seat left for a while. */
  readonly idle: () => void
  readonly pause?: (nth: number) => number
}

const idleMs = 10_000
const greetingMs = 10_000
const steadyMs = 10_000
const pauseOf = (nth: number): number => Math.min(5000, 250 * 2 ** nth) * (0.75 + Math.random() / 2)

/** Ids of 128 bits, as requests carry them. */
export const mintRequestId = (): string => toBase64url(crypto.getRandomValues(new Uint8Array(16)))

/** A line that is opened by the first who needs it. */
export function openLine({ url, hello, idle, pause = pauseOf }: LineNeeds): Line {
  const seats = new Map<string, LineSeat>()
  const claimants = new Set<() => void>()
  let current: { readonly live: Promise<Live | null>; readonly socket?: WebSocket } | undefined
  let greeted: Live | undefined
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let asGuest: string | undefined
  let isAsleep = false

  const tellFreed = (): void => {
    for (const listener of [...claimants]) listener()
  }

  const connect = (): Promise<Live | null> => {
    clearTimeout(timer)
    current ??= { live: open() }
    return current.live
  }

  const open = async (): Promise<Live | null> => {
    const [address, words] = await Promise.all([url(), hello()])
    const live = address === null ? null : await greet(address, words)
    if (live === null) ended()
    return live
  }

  const ended = (): void => {
    current = undefined
    greeted = undefined
    for (const seat of [...seats.values()]) seat.dropped()
    clearTimeout(timer)
    if (seats.size === 0) timer = setTimeout(idle, idleMs)
    else if (!isAsleep) timer = setTimeout(() => void connect(), pause(failures++))
  }

  const greet = (address: string, { token, ...words }: Awaited<ReturnType<LineNeeds['hello']>>): Promise<Live | null> =>
    new Promise(resolve => {
      const socket = new WebSocket(address)
      const waiting = new Map<string, { readonly type: RequestName; readonly answered: Answered<never> }>()
      const patience = setTimeout(() => socket.close(), greetingMs)
      let steady: ReturnType<typeof setTimeout> | undefined
      let isOver = false
      let goneNow: () => void
      const gone = new Promise<void>(done => (goneNow = done))
      const over = (): void => {
        if (isOver) return
        isOver = true
        clearTimeout(patience)
        clearTimeout(steady)
        socket.close()
        goneNow()
        if (greeted === undefined) resolve(null)
        else ended()
      }
      const live = (challenge: string): Live => ({
        challenge,
        gone,
        ask: (request, answered, id = mintRequestId()) => {
          if (isOver) return
          waiting.set(id, { type: request.type, answered })
          socket.send(JSON.stringify({ ...request, id }))
        },
        drop: over,
      })
      const answer = (id: string, told: unknown): void => {
        const asked = waiting.get(id)
        waiting.delete(id)
        asked?.answered(told as never)
      }
      const read = (frame: ServerFrame): void => {
        if (frame.type === 'welcome') {
          if (greeted !== undefined) return over()
          clearTimeout(patience)
          steady = setTimeout(() => (failures = 0), steadyMs)
          greeted = live(frame.challenge)
          resolve(greeted)
          for (const seat of [...seats.values()]) seat.back(greeted)
          tellFreed()
        } else if (greeted === undefined) over()
        else if (frame.type === 'ok') {
          const asked = waiting.get(frame.id)
          if (asked !== undefined) answer(frame.id, parse(roomAnswers[asked.type], frame.value))
        } else if (frame.type === 'no') answer(frame.id, { error: frame.error, message: frame.message })
        else if (frame.type === 'claimFreed' || frame.type === 'signedOut') tellFreed()
        else if ('room' in frame) seats.get(frame.room)?.hear(frame)
      }
      socket.addEventListener('open', () => {
        const acting = token === undefined || token === asGuest ? {} : { token }
        socket.send(JSON.stringify({ type: 'hello', ...words, ...acting }))
      })
      socket.addEventListener('message', ({ data }) => {
        if (isOver) return
        try {
          read(parse(serverFrame, JSON.parse(String(data))))
        } catch {
          // Not the protocol: nothing that follows can be trusted to be in its place.
          over()
        }
      })
      socket.addEventListener('close', ({ code }) => {
        // A session that is over leaves a guest, until another one acts.
        if (code === ROOM_CLOSE.unauthorized || code === ROOM_CLOSE.denied) asGuest = token
        over()
      })
    })

  return {
    seats,
    live: connect,
    whenFreed: listener => {
      claimants.add(listener)
      return () => claimants.delete(listener)
    },
    attach: seat => {
      clearTimeout(timer)
      seats.set(seat.room, seat)
      return () => {
        if (seats.get(seat.room) !== seat) return
        seats.delete(seat.room)
        if (seats.size > 0) return
        clearTimeout(timer)
        timer = setTimeout(() => {
          idle()
          greeted?.drop()
        }, idleMs)
      }
    },
    sleep: () => {
      isAsleep = true
      greeted?.drop()
    },
    wake: () => {
      isAsleep = false
      if (seats.size > 0) void connect()
    },
    session: token => {
      asGuest = undefined
      greeted?.ask({ type: 'session', token }, tellFreed)
    },
  }
}

/** Whether an answer is a refusal. */
export const isNo = (answer: unknown): answer is RoomsFail => typeof (answer as { error?: unknown } | null)?.error === 'string'

/** Whether a request has the shape the service reads; one that has not would end the socket. */
export const canAsk = (request: { readonly type: RequestName }): boolean => fits(roomRequests[request.type], { ...request, id: mintRequestId() })
