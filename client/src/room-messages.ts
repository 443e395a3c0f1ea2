import type { RoomMessage } from '@deputy/contract/room-types'
import type { Room } from './rooms.ts'

/**
 * The messages of a room as they arrive, replayed ones among them, until the room ends or the signal fires; nothing is lost between two
 * steps. Ends at the room's end; throws the signal's reason.
 */
export async function* messages(room: Pick<Room, 'on' | 'closed'>, options: { readonly signal?: AbortSignal } = {}): AsyncGenerator<RoomMessage, void> {
  const { signal } = options
  signal?.throwIfAborted()
  const waiting: RoomMessage[] = []
  let isOver = false
  let wake = (): void => {}
  const end = (): void => {
    isOver = true
    wake()
  }
  const off = await room.on(event => {
    if (event.type !== 'message') return
    waiting.push(event.message)
    wake()
  })
  void room.closed.then(end)
  signal?.addEventListener('abort', end)
  try {
    for (;;) {
      signal?.throwIfAborted()
      const next = waiting.shift()
      if (next !== undefined) yield next
      else if (isOver) return
      else await new Promise<void>(resolve => (wake = resolve))
    }
  } finally {
    signal?.removeEventListener('abort', end)
    off()
  }
}
