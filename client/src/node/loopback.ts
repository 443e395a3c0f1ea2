import type { TcpSocketResult } from '@deputy/contract/webvpn'
import { isLoopback } from './address.ts'
import { systemError } from './errors.ts'

/** Takes the server's end of a connection. */
export type Accept = (socket: TcpSocketResult) => void

const listening = new Map<string, Accept>()
const firstFree = 49_152
let lastPort = firstFree - 1
const inFlight = 64 * 1024

const keyOf = (host: string, port: number): string => `${host === '::1' ? '::1' : '127.0.0.1'} ${port}`

/** Listens within the page; answers the port, or nothing when it is taken. 0 takes a free one. */
export function listenHere(host: string, wanted: number, accept: Accept): number | undefined {
  let port = wanted
  for (let tries = 0; port === 0; tries += 1) {
    if (tries === 65_536 - firstFree) return undefined
    lastPort = lastPort === 65_535 ? firstFree : lastPort + 1
    if (!listening.has(keyOf(host, lastPort))) port = lastPort
  }
  if (listening.has(keyOf(host, port))) return undefined
  listening.set(keyOf(host, port), accept)
  return port
}

/** Stops listening within the page. */
export const closeHere = (host: string, port: number): void => void listening.delete(keyOf(host, port))

/** A port at which nobody listens within the page, and which a system rarely gives out itself. */
export function freeHere(): number {
  const [least, most] = [61_000, 65_535]
  for (;;) {
    const port = least + Math.floor(Math.random() * (most - least + 1))
    if (!listening.has(keyOf('127.0.0.1', port)) && !listening.has(keyOf('::1', port))) return port
  }
}

/** Where a connection is to come from. */
interface From {
  readonly address?: string | undefined
  readonly port?: number | undefined
}

/** Connects within the page; nothing when nobody listens there. @throws EADDRINUSE, EADDRNOTAVAIL of where it is to come from */
export function connectHere(host: string, port: number, from: From = {}): TcpSocketResult | undefined {
  // As with a system, a connection to any address goes to this one.
  if (host === '0.0.0.0' || host === '::') return connectHere(host === '::' ? '::1' : '127.0.0.1', port, from)
  if (!isLoopback(host)) return undefined
  const six = host === '::1' || (host.toLowerCase() === 'localhost' && !listening.has(keyOf('127.0.0.1', port)))
  const address = six ? '::1' : '127.0.0.1'
  const accept = listening.get(keyOf(address, port))
  if (accept === undefined) return undefined
  if (from.address && from.address !== address) throw systemError('bind', 'EADDRNOTAVAIL', from)
  if (from.port && listening.has(keyOf(address, from.port))) throw systemError('bind', 'EADDRINUSE', { address, port: from.port })
  lastPort = lastPort === 65_535 ? firstFree : lastPort + 1
  const [there, back] = [pipe(), pipe()]
  const family = six ? 'IPv6' : 'IPv4'
  const near = { address, family, port: from.port || lastPort } as const
  const far = { address, family, port } as const
  accept(endOf(there, back, far, near))
  return endOf(back, there, near, far)
}

type Chunk = Uint8Array<ArrayBuffer>
interface Pipe {
  readonly readable: ReadableStream<Chunk>
  readonly writable: WritableStream<Chunk>
  end(): void
  fail(error: Error): void
}
interface End {
  readonly address: string
  readonly family: 'IPv4' | 'IPv6'
  readonly port: number
}

/** Bytes in one direction, of which no more are on the way than a system would hold. */
function pipe(): Pipe {
  let reading: ReadableStreamDefaultController<Chunk> | undefined
  let writing: WritableStreamDefaultController | undefined
  let room = Promise.withResolvers<void>()
  let isOver = false
  const size = (chunk: Chunk): number => chunk.byteLength
  const over = (): void => {
    isOver = true
    room.resolve()
  }
  const readable = new ReadableStream<Chunk>(
    { start: own => void (reading = own), pull: () => room.resolve(), cancel: over },
    { highWaterMark: inFlight, size },
  )
  const end = (): void => {
    if (!isOver) reading?.close()
    over()
  }
  const write = async (chunk: Chunk): Promise<void> => {
    for (let at = 0; at < chunk.byteLength && !isOver; at += inFlight) {
      reading?.enqueue(chunk.subarray(at, at + inFlight))
      while (!isOver && (reading?.desiredSize ?? 0) <= 0) {
        room = Promise.withResolvers()
        await room.promise
      }
    }
  }
  const writable = new WritableStream<Chunk>({ start: own => void (writing = own), write, close: end }, { highWaterMark: 1, size: () => 1 })
  return {
    readable,
    writable,
    end,
    fail: error => {
      if (!isOver) reading?.error(error)
      writing?.error(error)
      over()
    },
  }
}

function endOf(incoming: Pipe, outgoing: Pipe, local: End, remote: End): TcpSocketResult {
  const close = async (): Promise<void> => {
    outgoing.end()
    // What the other end still writes has nowhere to go.
    incoming.fail(systemError('write', 'ECONNRESET'))
  }
  return {
    dataReadableStream: incoming.readable,
    dataWritableStream: outgoing.writable,
    localAddress: local.address,
    localFamily: local.family,
    localPort: local.port,
    remoteAddress: remote.address,
    remoteFamily: remote.family,
    remotePort: remote.port,
    destroy: close,
    destroySoon: close,
    end: async () => undefined,
    resetAndDestroy: async () => {
      const reset = systemError('read', 'ECONNRESET')
      outgoing.fail(reset)
      incoming.fail(reset)
    },
    setOption: async () => undefined,
  }
}
