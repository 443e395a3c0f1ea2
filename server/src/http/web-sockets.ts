import { STATUS_CODES, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Log } from '../operations/log.ts'
import type { Upgrade } from './listen.ts'

const pingEvery = 30_000

// One listener for all sockets: a closure would keep the request of each for as long as its socket is open.
function destroy(this: Duplex): void {
  this.destroy()
}

/** What is wrong with a socket is told by its closing. */
const ignore = (): void => undefined

/** What is kept alive. */
export interface Pinged {
  ping(): void
  terminate(): void
}

/** The open sockets of one service: pinged, and cut when one does not answer until the next ping. */
export interface LiveSockets<One extends Pinged> {
  add(socket: One): void
  answered(socket: One): void
  gone(socket: One): void
  /** Stops pinging and cuts them all. */
  close(): void
}

/** Keeps the sockets of one service. */
export function liveSockets<One extends Pinged>(): LiveSockets<One> {
  const alive = new Map<One, boolean>()
  const pings = setInterval(() => {
    for (const [socket, answered] of alive) {
      if (!answered) socket.terminate()
      else {
        alive.set(socket, false)
        socket.ping()
      }
    }
  }, pingEvery)
  pings.unref()
  return {
    add: socket => alive.set(socket, true),
    answered: socket => {
      if (alive.has(socket)) alive.set(socket, true)
    },
    gone: socket => alive.delete(socket),
    close: () => {
      clearInterval(pings)
      for (const socket of alive.keys()) socket.terminate()
    },
  }
}

/** Keeps the sockets of a service that takes them by the WebSocket library. */
export function liveWebSockets(): Pick<LiveSockets<WebSocket>, 'add' | 'close'> {
  const live = liveSockets<WebSocket>()
  // One listener for all sockets: there may be very many.
  function answered(this: WebSocket): void {
    live.answered(this)
  }
  function closed(this: WebSocket): void {
    live.gone(this)
  }
  return {
    add: socket => {
      live.add(socket)
      socket.on('pong', answered)
      socket.on('error', ignore)
      socket.on('close', closed)
    },
    close: live.close,
  }
}

/** Takes the connection of an upgrade request that was let in. */
export type Take = (request: IncomingMessage, raw: Duplex, head: Buffer) => void

/** Answers upgrade requests: `admit` answers the status of a refusal, or what takes the connection. */
export const upgradeBy =
  (admit: (request: IncomingMessage) => Promise<number | Take>, log: Pick<Log, 'error'>): Upgrade =>
  (request, raw, head) => {
    raw.on('error', destroy)
    admit(request).then(
      admitted => {
        if (raw.destroyed) return
        if (typeof admitted === 'function') admitted(request, raw, head)
        else raw.end(`HTTP/1.1 ${admitted} ${STATUS_CODES[admitted] ?? ''}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
      },
      () => {
        log.error('upgrade-failed')
        raw.destroy()
      },
    )
  }
