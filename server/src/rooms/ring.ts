/** An event as it was sent. */
export interface RoomEventFrame {
  readonly n: number
  readonly frame: Buffer
  /** Whether only members that may receive hear it; the others get the skip. */
  readonly spoken: boolean
}

const mostEvents = 1024
const mostBytes = 2 ** 19

/** The newest events of a room, for members that come back. */
export interface Ring {
  push(event: RoomEventFrame): void
  /** The events after `n`, or null when some of them are no longer here; `head` is the last event of the room. */
  after(n: number, head: number): readonly RoomEventFrame[] | null
}

/** An empty ring of at most 1,024 events and 512 KiB. */
export function makeRing(): Ring {
  let events: RoomEventFrame[] = []
  let first = 0
  let bytes = 0
  return {
    push: event => {
      events.push(event)
      bytes += event.frame.length
      while (events.length - first > mostEvents || (bytes > mostBytes && events.length > first)) {
        bytes -= events[first]?.frame.length ?? 0
        first += 1
      }
      if (first > mostEvents) {
        events = events.slice(first)
        first = 0
      }
    },
    after: (n, head) => {
      if (n > head) return null
      if (n === head) return []
      const oldest = events[first]?.n
      if (oldest === undefined || oldest > n + 1) return null
      return events.slice(first + (n + 1 - oldest))
    },
  }
}
