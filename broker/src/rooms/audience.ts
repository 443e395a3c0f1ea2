import { ChannelError } from '@deputy/channel'
import type { RoomEvent } from '@deputy/contract/room-events'
import type { FarListener } from '../listeners.ts'

/** The listeners an app has in one room. */
export interface Audience {
  readonly size: number
  /** Tells every listener, in order. */
  tell(event: RoomEvent): void
  /** Answers the end of the subscription. */
  add(listener: FarListener<[event: RoomEvent]>): () => void
}

/** Events kept for the first listener; the oldest go first. */
const KEPT = 1000

/** An audience nobody is in. */
export function audienceOf(): Audience {
  const listeners = new Set<(event: RoomEvent) => void>()
  // What happens between the answer that gives the room to the app and its first `on` is told then.
  let kept: RoomEvent[] | undefined = []
  return {
    get size() {
      return listeners.size
    },
    tell: event => {
      for (const listener of [...listeners]) listener(event)
      kept?.push(event)
      if ((kept?.length ?? 0) > KEPT) kept?.shift()
    },
    add: far => {
      const end = (): void => void listeners.delete(tell)
      const tell = (event: RoomEvent): void => {
        far(event).catch((error: unknown) => {
          // What a listener throws is the app's own matter; one whose realm is gone hears nothing any more.
          if (error instanceof ChannelError) end()
        })
      }
      listeners.add(tell)
      for (const event of kept ?? []) tell(event)
      kept = undefined
      return end
    },
  }
}
