import type { RoomEvent } from '@deputy/contract/room-events'
import { isCarrier } from './room-envelope.ts'

/** The listeners of one room. */
export interface Listeners {
  tell(event: RoomEvent): void
  /** Answers the end of the subscription; the first listener is told what it missed. */
  add(listener: (event: RoomEvent) => void): () => void
  /** The same for a part of the library: told what was missed as well, it leaves that for the app's first listener. */
  watch(listener: (event: RoomEvent) => void): () => void
}

/** Events kept for the first listener; the oldest go first. */
const KEPT = 1000

const known = new WeakMap<object, Listeners>()

/** Nobody listens yet. */
export function listening(): Listeners {
  const listeners = new Set<(event: RoomEvent) => void>()
  let kept: RoomEvent[] | undefined = []
  let isWatched = false
  const guarded = (listener: (event: RoomEvent) => void, event: RoomEvent): void => {
    try {
      listener(event)
    } catch (error) {
      // Told where uncaught errors are, without keeping the event from the others.
      reportError(error)
    }
  }
  const enter = (listener: (event: RoomEvent) => void): (() => void) => {
    // The same function may listen twice.
    const own = (event: RoomEvent): void => listener(event)
    listeners.add(own)
    for (const event of kept ?? []) guarded(own, event)
    return () => void listeners.delete(own)
  }
  return {
    tell: event => {
      for (const listener of [...listeners]) guarded(listener, event)
      // What carries a payload is large, and has been heard by those it is for.
      if (isWatched && isCarrier(event)) return
      kept?.push(event)
      if ((kept?.length ?? 0) > KEPT) kept?.shift()
    },
    add: listener => {
      const off = enter(listener)
      kept = undefined
      return off
    },
    watch: listener => {
      const off = enter(listener)
      isWatched = true
      kept = kept?.filter(event => !isCarrier(event))
      return off
    },
  }
}

/** Notes the listeners of a room, for `watch`. */
export const heardBy = (room: object, listeners: Listeners): void => void known.set(room, listeners)

/** Listens to a room for a part of the library: events kept for the app's first listener stay kept. */
export async function watch(
  room: { on(listener: (event: RoomEvent) => void): Promise<() => void> },
  listener: (event: RoomEvent) => void,
): Promise<() => void> {
  return known.get(room)?.watch(listener) ?? room.on(listener)
}

const endings = new WeakMap<object, Set<() => void>>()

/** Calls the listener when the room has ended, soon where it has already; answers how to take that back, which leaves nothing behind in a room that goes on. */
export function onEnd(room: { readonly closed: Promise<unknown> }, listener: () => void): () => void {
  let waiting = endings.get(room)
  if (waiting === undefined) {
    const all = (waiting = new Set())
    endings.set(room, all)
    void room.closed.then(() => {
      endings.delete(room)
      for (const one of all) one()
    })
  }
  waiting.add(listener)
  return () => void waiting.delete(listener)
}
