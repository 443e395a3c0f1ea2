import { textOf, type Envelope } from './room-envelope.ts'
import { RoomsError, type Room } from './rooms.ts'

/** Envelopes a second and at once: below what a room allows a member, so that the app's own messages have room beside them. */
const RATE = 16
const BURST = 16
/** Milliseconds before what was refused `rate-limited` is sent again. */
const PAUSE = 500
/** Urgent ones that may wait before courtesies are left out. */
const COURTESIES = 32

/** How one envelope is sent. */
export interface Paced {
  readonly signal?: AbortSignal | undefined
  /** Need not wait for those that are not: the two take turns. */
  readonly isUrgent?: boolean
}

interface Waiting {
  readonly text: string
  readonly signal: AbortSignal | undefined
  readonly sent: () => void
  readonly failed: (error: unknown) => void
}

interface Pace {
  readonly urgent: Waiting[]
  readonly usual: Waiting[]
  isRunning: boolean
  wasUrgent: boolean
  left: number
  at: number
}

const paces = new WeakMap<object, Pace>()

/**
 * Sends an envelope when the member's budget allows, one after another and in order; resolves once it is sent.
 * @throws {RoomsError} as `send` does, other than `rate-limited`; the signal's reason.
 */
export function sendPaced(room: Pick<Room, 'send'>, envelope: Envelope, { signal, isUrgent = false }: Paced = {}): Promise<void> {
  const pace = paces.get(room) ?? { urgent: [], usual: [], isRunning: false, wasUrgent: false, left: BURST, at: Date.now() }
  paces.set(room, pace)
  return new Promise((sent, failed) => {
    ;(isUrgent ? pace.urgent : pace.usual).push({ text: textOf(envelope), signal, sent, failed })
    if (!pace.isRunning) void run(room, pace)
  })
}

/** Says what is only a courtesy: left out while many wait, so that others cannot make this page's memory grow. */
export function sayPaced(room: Pick<Room, 'send'>, envelope: Envelope): void {
  if ((paces.get(room)?.urgent.length ?? 0) < COURTESIES) sendPaced(room, envelope, { isUrgent: true }).catch(() => undefined)
}

async function run(room: Pick<Room, 'send'>, pace: Pace): Promise<void> {
  pace.isRunning = true
  for (;;) {
    const now = Date.now()
    pace.left = Math.min(BURST, pace.left + (Math.max(0, now - pace.at) * RATE) / 1000)
    pace.at = now
    if (pace.left < 1) await pause(((1 - pace.left) * 1000) / RATE)
    // What others make this page answer leaves it half of its budget.
    const isUrgent = pace.urgent.length > 0 && !(pace.wasUrgent && pace.usual.length > 0)
    const queue = isUrgent ? pace.urgent : pace.usual
    const next = queue[0]
    if (next === undefined) break
    if (next.signal?.aborted) next.failed(next.signal.reason)
    else {
      pace.left -= 1
      try {
        await room.send(next.text)
        pace.wasUrgent = isUrgent
        next.sent()
      } catch (error) {
        if (error instanceof RoomsError && error.code === 'rate-limited') {
          await pause(PAUSE)
          continue
        }
        next.failed(error)
      }
    }
    queue.shift()
  }
  pace.isRunning = false
}

const pause = (milliseconds: number): Promise<void> => new Promise(resolve => setTimeout(resolve, milliseconds))
