import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { FRAME, laneWords, LENGTH_BYTES, ProtocolError, wordsOfLane, type Carrier, type Message } from '@deputy/tunnel'

type Parts = readonly Uint8Array<ArrayBuffer>[]

/** A carrier that sends by its own connection, and by a lane while there is much to send. */
export interface LanedCarrier extends Carrier {
  /** Whether a message that came in was about lanes, and not one of the session. */
  hears(parts: Parts): boolean
  /** Its connection is gone. */
  lost(): void
}

/** The lanes of one node: answers that stream messages, each beside the connection of one carrier. */
export interface Lanes {
  /** Those that are open. */
  readonly open: number
  /** Gives a carrier lanes. */
  beside(line: Carrier): LanedCarrier
  /** Takes the answer to a request that brought a ticket for the lane it is for; undefined when there is none, once. */
  take(ticket: string): ((answer: ServerResponse, headers?: Readonly<Record<string, string>>) => void) | undefined
}

/** How long a ticket is good for. */
const patience = 10_000
/** A lane that carries less than so many bytes from look to look is given up: browsers have few connections. */
const little = 256 * 1024

/** The lanes of one node; every `look` ms each is given up that carried little. */
export function openLanes(look = 2000): Lanes {
  const waiting = new Map<string, (answer: ServerResponse, headers?: Readonly<Record<string, string>>) => void>()
  let count = 0

  const beside = (line: Carrier): LanedCarrier => {
    let ticket: string | undefined
    let late: NodeJS.Timeout | undefined
    let lane: ServerResponse | undefined
    let inUse = false
    let carried = 0
    let looks: NodeJS.Timeout | undefined
    let welcomed = false

    const write = ({ parts, bytes }: Message): void => {
      if (lane === undefined) return
      carried += bytes
      // One chunk of the answer, written as such: node:http would make one of each part.
      const { socket } = lane
      const head = Buffer.from(`${(LENGTH_BYTES + bytes).toString(16)}\r\n    `, 'latin1')
      head.writeUInt32LE(bytes, head.length - LENGTH_BYTES)
      socket?.cork()
      socket?.write(head)
      for (const part of parts) socket?.write(part)
      socket?.write('\r\n')
      socket?.uncork()
    }
    const forget = (): void => {
      clearTimeout(late)
      if (ticket !== undefined) waiting.delete(ticket)
      ticket = undefined
    }
    const leave = (): void => {
      clearInterval(looks)
      if (lane !== undefined) count -= 1
      lane = undefined
      inUse = false
    }
    /** Ends the lane; what comes next goes by the connection again. */
    const turnBack = (): void => {
      const left = lane
      write(laneWords({ turn: true }))
      leave()
      left?.end()
    }
    const open = (answer: ServerResponse, headers: Readonly<Record<string, string>> = {}): void => {
      forget()
      lane = answer
      count += 1
      // What streams for as long as it takes; a proxy that gathers answers would hold it back.
      answer.writeHead(200, {
        'content-type': 'application/octet-stream',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
        'x-content-type-options': 'nosniff',
        ...headers,
      })
      answer.flushHeaders()
      answer.on('error', () => answer.destroy())
      answer.on('close', () => {
        if (lane !== answer) return
        const lostSome = inUse
        leave()
        // What it carried is lost, and only a new carrier begins where the client stands.
        if (lostSome) line.close()
      })
      write(laneWords({}))
    }
    const ask = (): void => {
      forget()
      ticket = randomBytes(24).toString('base64url')
      waiting.set(ticket, open)
      late = setTimeout(forget, patience)
      line.send(laneWords({ ticket }))
    }
    const begin = (): void => {
      line.send(laneWords({ turn: true }))
      inUse = true
      carried = 0
      looks = setInterval(() => {
        if (carried < little) turnBack()
        carried = 0
      }, look)
      looks.unref()
    }
    const close = (): void => {
      forget()
      const left = lane
      leave()
      left?.destroy()
    }

    return {
      send: message => {
        const type = message.parts[0]?.[0]
        welcomed ||= type === FRAME.welcome
        // The last word of a session is heard at once.
        if (inUse && type !== FRAME.refused) write(message)
        else line.send(message)
      },
      close: () => {
        if (inUse) turnBack()
        close()
        line.close()
      },
      hears: parts => {
        if (!welcomed) return false
        try {
          const words = wordsOfLane(parts)
          if (words === undefined) return false
          if (words.ready === true && lane !== undefined && !inUse) begin()
          else if (words.ready === undefined && lane === undefined) ask()
        } catch (error) {
          if (!(error instanceof ProtocolError)) throw error
          close()
          line.close()
        }
        return true
      },
      lost: close,
    }
  }

  return {
    get open() {
      return count
    },
    beside,
    take: ticket => {
      const open = waiting.get(ticket)
      waiting.delete(ticket)
      return open
    },
  }
}
