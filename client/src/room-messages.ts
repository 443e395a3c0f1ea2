import type { RoomEvent } from '@deputy/contract/room-events'
import type { RoomBacklog, RoomMessage } from '@deputy/contract/room-types'
import { isPlain } from './room-envelope.ts'
import type { Room } from './rooms.ts'

/** What `messages` iterates. */
export interface MessagesOptions {
  readonly signal?: AbortSignal | undefined
  /** Begin with the stored messages above this seq (0: all), then go on with those that come. */
  readonly backlog?: number
  /** Messages that may wait unread; 1,000 unless said. */
  readonly buffer?: number
}

/** What is needed of a room to iterate its messages. */
export type Iterated = Pick<Room, 'on' | 'closed' | 'backlog' | 'mailbox'>

/**
 * The messages of a room, each once and in the room's order, until the room ends; nothing is lost between two steps nor to a lost
 * connection. A loop that falls behind by more than `buffer` goes on from the mailbox where it began with one.
 * @throws {RangeError} when it fell behind and there is no mailbox to go on from. @throws {RoomsError} when a page cannot be read. The signal's reason.
 */
export async function* messages(room: Iterated, { signal, backlog, buffer = 1000 }: MessagesOptions = {}): AsyncGenerator<RoomMessage, void> {
  signal?.throwIfAborted()
  const waiting: RoomMessage[] = []
  let page: Map<number, RoomMessage> | undefined
  let mustRead = backlog !== undefined
  let last = backlog ?? -1
  let isOver = false
  let isLost = false
  let wake = (): void => {}
  const end = (): void => {
    isOver = true
    wake()
  }
  const hear = (event: RoomEvent): void => {
    if (event.type !== 'message') return
    if (event.replayed) page?.set(event.message.seq, event.message)
    else if (waiting.length < buffer) waiting.push(event.message)
    else if (backlog !== undefined && room.mailbox !== null) {
      mustRead = true
      waiting.length = 0
    } else isLost = true
    wake()
  }
  /** The next page of stored messages in order; null once the room is over. */
  const read = async (): Promise<RoomMessage[] | null> => {
    const found = (page = new Map<number, RoomMessage>())
    mustRead = false
    let answer: RoomBacklog
    try {
      answer = await room.backlog(last)
    } catch (error) {
      if (isOver || (error as { code?: unknown }).code === 'closed') return null
      throw error
    } finally {
      page = undefined
    }
    const after = last
    last = Math.max(last, answer.last)
    mustRead ||= answer.more && last > after
    // Another page that the app reads meanwhile is told to all as well.
    return [...found.values()].filter(({ seq }) => seq > after && seq <= last).toSorted((one, other) => one.seq - other.seq)
  }
  const off = await room.on(hear)
  void room.closed.then(end)
  signal?.addEventListener('abort', end)
  try {
    for (;;) {
      signal?.throwIfAborted()
      if (mustRead) {
        for (const message of (await read()) ?? []) {
          signal?.throwIfAborted()
          if (isPlain(message)) yield message
        }
        continue
      }
      const next = waiting.shift()
      if (next !== undefined) {
        if (next.seq <= last) continue
        last = next.seq
        if (isPlain(next)) yield next
      } else if (isLost) throw new RangeError(`deputy: the loop fell more than ${buffer} messages behind`)
      else if (isOver) return
      else await new Promise<void>(resolve => (wake = resolve))
    }
  } finally {
    signal?.removeEventListener('abort', end)
    off()
  }
}
