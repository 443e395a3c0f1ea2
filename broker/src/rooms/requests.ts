import type { RoomsFail } from '@deputy/contract/room-types'
import { ROOM_WINDOW } from '@deputy/contract/room-wire'
import { canAsk, mintRequestId, type Answered, type Asking, type Live, type RequestName } from './line.ts'
import { refused } from './refused.ts'

/** What a seat asks of its room, across the sockets that come and go. */
export interface Requests {
  /** The socket that is asked on; undefined while there is none. */
  readonly live: Live | undefined
  /** Asks, again after every return of the socket; told at once. */
  ask<T extends RequestName>(asking: Asking<T>, answered: Answered<T>): void
  /** Asks on the socket from now on, first what was not answered on the last one, each under its id. */
  resume(live: Live): void
  /** Asks nothing until the next socket. */
  pause(): void
  /** Refuses what was not answered, and all that is asked later. */
  end(unanswered: RoomsFail): void
}

interface Request {
  readonly id: string
  readonly run: (live: Live) => void
  readonly fail: (refusal: RoomsFail) => void
}

/** Requests that may wait for the ones before them; `most` at the same time. */
export function requestsOf(most: number): Requests {
  const unanswered = new Map<string, Request>()
  const waiting: Request[] = []
  let live: Live | undefined
  let ended = false

  const pump = (): void => {
    while (live !== undefined && unanswered.size < ROOM_WINDOW) {
      const next = waiting.shift()
      if (next === undefined) return
      unanswered.set(next.id, next)
      next.run(live)
    }
  }
  return {
    get live() {
      return live
    },
    ask: (asking, answered) => {
      if (ended) return answered(refused('closed'))
      if (!canAsk(asking)) return answered(refused('malformed'))
      if (waiting.length >= most) return answered(refused('rateLimited'))
      const id = mintRequestId()
      const answeredOnce: typeof answered = answer => {
        if (!unanswered.delete(id)) return
        answered(answer)
        pump()
      }
      waiting.push({ id, run: on => on.ask(asking, answeredOnce, id), fail: answered })
      pump()
    },
    resume: on => {
      live = on
      for (const { run } of [...unanswered.values()]) run(on)
      pump()
    },
    pause: () => {
      live = undefined
    },
    end: refusal => {
      ended = true
      for (const request of [...unanswered.values(), ...waiting]) request.fail(refusal)
      unanswered.clear()
      waiting.length = 0
    },
  }
}
