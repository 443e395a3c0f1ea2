import { STATUS_CODES, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import type { Log } from '../operations/log.ts'
import type { Upgrade } from './listen.ts'

const pingEvery = 30_000

// One listener for all sockets: a closure would keep the request of each for as long as its socket is open.
function destroy(this: Duplex): void {
  this.destroy()
}

/** What is wrong with a socket is told by its closing. */
const ignore = (): void => undefined

/** The open sockets of one service: pinged, and cut when one does not answer until the next ping. */
export interface LiveSockets {
  /** Watches a socket until it closes. */
  add(socket: WebSocket): void
  /** Stops pinging and cuts them all. */
  close(): void
}

/** Keeps the sockets of one service. */
export function liveSockets(): LiveSockets {
  const alive = new Map<WebSocket, boolean>()
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
  // One listener for all sockets: there may be very many.
  function answered(this: WebSocket): void {
    alive.set(this, true)
  }
  function closed(this: WebSocket): void {
    alive.delete(this)
  }
  return {
    add: socket => {
      alive.set(socket, true)
      socket.on('pong', answered)
      socket.on('error', ignore)
      socket.on('close', closed)
    },
    close: () => {
      clearInterval(pings)
      for (const socket of alive.keys()) socket.terminate()
    },
  }
}

/** Answers upgrade requests: `admit` answers the status of a refusal, or what takes the socket. */
export const upgradeBy =
  (
    server: WebSocketServer,
    admit: (request: IncomingMessage, raw: Duplex) => Promise<number | ((socket: WebSocket) => void)>,
    log: Pick<Log, 'error'>,
  ): Upgrade =>
  (request, raw, head) => {
    raw.on('error', destroy)
    admit(request, raw).then(
      admitted => {
        if (raw.destroyed) return
        if (typeof admitted === 'function') server.handleUpgrade(request, raw, head, admitted)
        else raw.end(`HTTP/1.1 ${admitted} ${STATUS_CODES[admitted] ?? ''}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
      },
      () => {
        log.error('upgrade-failed')
        raw.destroy()
      },
    )
  }
