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

/** Connects within the page; nothing when nobody listens there. */
export function connectHere(host: string, port: number): TcpSocketResult | undefined {
  if (!isLoopback(host)) return undefined
  const six = host === '::1' || (host.toLowerCase() === 'localhost' && !listening.has(keyOf('127.0.0.1', port)))
  const address = six ? '::1' : '127.0.0.1'
  const accept = listening.get(keyOf(address, port))
  if (accept === undefined) return undefined
  lastPort = lastPort === 65_535 ? firstFree : lastPort + 1
  const [there, back] = [pipe(), pipe()]
  const family = six ? 'IPv6' : 'IPv4'
  const near = { address, family, port: lastPort } as const
  const far = { address, family, port } as const
  accept(endOf(there, back, far, near))
  return endOf(back, there, near, far)
}

type Chunk = Uint8Array<ArrayBuffer>
interface Pipe {
  readonly readable: ReadableStream<Chunk>
  readonly writable: WritableStream<Chunk>
  readonly controller: TransformStreamDefaultController<Chunk>
}
interface End {
  readonly address: string
  readonly family: 'IPv4' | 'IPv6'
  readonly port: number
}

function pipe(): Pipe {
  let controller: TransformStreamDefaultController<Chunk> | undefined
  const streams = new TransformStream<Chunk, Chunk>({ start: own => void (controller = own) }, undefined, {
    highWaterMark: inFlight,
    size: chunk => chunk?.byteLength ?? 0,
  })
  return { readable: streams.readable, writable: streams.writable, controller: controller as TransformStreamDefaultController<Chunk> }
}

function endOf(incoming: Pipe, outgoing: Pipe, local: End, remote: End): TcpSocketResult {
  const close = async (): Promise<void> => {
    outgoing.controller.terminate()
    // What the other end still writes has nowhere to go.
    incoming.controller.error(systemError('write', 'ECONNRESET'))
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
      outgoing.controller.error(reset)
      incoming.controller.error(reset)
    },
    setOption: async () => undefined,
  }
}
