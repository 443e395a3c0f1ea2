import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Message } from '@deputy/tunnel'
import { webSocketReader } from './web-socket-reader.ts'

/** A client's WebSocket, binary messages only. */
export interface WebSocketLine {
  send(message: Message): void
  ping(): void
  /** Says goodbye, and ends the connection once the client has answered or a moment has passed. */
  close(code?: number): void
  terminate(): void
}

/** Who hears a client's WebSocket. */
export interface LineEars {
  message(parts: readonly Uint8Array<ArrayBuffer>[]): void
  /** The client answered a ping. */
  answered(): void
  /** It is gone, whoever ended it. Called once. */
  closed(): void
}

const goodbyeTime = 2000
const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const frame = { binary: 0x82, close: 0x88, ping: 0x89, pong: 0x8a } as const

const header = (first: number, bytes: number): Buffer => {
  if (bytes < 126) return Buffer.from([first, bytes])
  if (bytes < 65_536) return Buffer.from([first, 126, bytes >> 8, bytes & 0xff])
  const long = Buffer.alloc(10)
  long[0] = first
  long[1] = 127
  long.writeUInt32BE(bytes, 6)
  return long
}

/** Whether a request asks for a WebSocket in the one version there is (RFC 6455). */
export const asksForWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers.upgrade?.toLowerCase() === 'websocket' &&
  headers['sec-websocket-version'] === '13' &&
  /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '')

/**
 * Takes the connection of a request that asks for a WebSocket. Messages are sent from where their parts lie, and heard where they were received:
 * what a library would copy, twice, is the better part of the work of a relay.
 */
export function webSocketLine(request: IncomingMessage, raw: Duplex, head: Buffer, protocol: string, most: number, ears: LineEars): WebSocketLine {
  const key = createHash('sha1')
    .update(`${request.headers['sec-websocket-key'] ?? ''}${guid}`)
    .digest('base64')
  let closing = false
  let gone = false
  const goodbye = (code: number): void => {
    if (closing || gone) return
    closing = true
    raw.end(Buffer.from([frame.close, 2, code >> 8, code & 0xff]))
    const late = setTimeout(() => raw.destroy(), goodbyeTime)
    raw.once('close', () => clearTimeout(late))
  }
  const lost = (): void => {
    if (gone) return
    gone = true
    ears.closed()
  }
  const read = webSocketReader(most, {
    message: parts => {
      if (!closing) ears.message(parts)
    },
    ping: payload => {
      // Whoever asks without reading the answers gets none.
      if (closing || gone || raw.writableNeedDrain) return
      raw.cork()
      raw.write(header(frame.pong, payload.byteLength))
      raw.write(payload)
      raw.uncork()
    },
    pong: () => ears.answered(),
    close: () => goodbye(1000),
    broken: goodbye,
  })
  raw.write(
    [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${key}`,
      `Sec-WebSocket-Protocol: ${protocol}`,
      '',
      '',
    ].join('\r\n'),
  )
  if (raw instanceof Socket) raw.setTimeout(0).setNoDelay(true)
  if (head.length > 0) raw.unshift(head)
  raw.on('data', read)
  raw.on('end', () => raw.end())
  raw.on('close', lost)
  return {
    send: ({ parts, bytes }) => {
      if (closing || gone || raw.destroyed) return
      raw.cork()
      raw.write(header(frame.binary, bytes))
      for (const part of parts) raw.write(part)
      raw.uncork()
    },
    ping: () => {
      if (!closing && !gone) raw.write(header(frame.ping, 0))
    },
    close: (code = 1000) => goodbye(code),
    terminate: () => raw.destroy(),
  }
}
