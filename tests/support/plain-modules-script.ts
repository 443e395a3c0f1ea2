/** The far ends in a page: the modules once more, over sockets of the test's own process instead of the tunnel. Bundled by `chromium.browser.test.ts`. */
import '@deputy/client/globals'
import * as dgram from '@deputy/client/dgram'
import * as http from '@deputy/client/http'
import * as net from '@deputy/client/net'
import { useBackend, type Backend } from '@deputy/client/node-backend'
import type { TcpSocketResult, UdpDatagram } from '@deputy/contract/webvpn'
import type { PlainWord } from './plain-sockets.ts'

/** The far ends' modules. */
export interface PlainModules {
  readonly net: typeof net
  readonly http: typeof http
  readonly dgram: typeof dgram
}
declare global {
  /** Where `servePlainSockets` is; set before this script. */
  var plainSockets: string
  var plain: PlainModules
}

type Ends = NonNullable<PlainWord['ends']>
interface Plain {
  readonly link: WebSocket
  readonly ends: Ends
  hear(ear: (word: PlainWord, bytes: Uint8Array<ArrayBuffer> | undefined) => void): void
  say(word: PlainWord): void
}

/** Opens a socket; the refusal when there is none. */
function open(path: string): Promise<Plain | { readonly error: string; readonly message: string }> {
  const link = new WebSocket(plainSockets + path)
  link.binaryType = 'arraybuffer'
  let ear: ((word: PlainWord, bytes: Uint8Array<ArrayBuffer> | undefined) => void) | undefined
  const waiting: Parameters<NonNullable<typeof ear>>[] = []
  return new Promise(resolve => {
    link.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      const heard: Parameters<NonNullable<typeof ear>> = typeof data === 'string' ? [JSON.parse(data) as PlainWord, undefined] : [{}, new Uint8Array(data)]
      const [{ ends, error }] = heard
      if (ends !== undefined) {
        const hear: Plain['hear'] = own => {
          ear = own
          for (const one of waiting.splice(0)) own(...one)
        }
        return resolve({ link, ends, hear, say: word => link.send(JSON.stringify(word)) })
      }
      if (error !== undefined) resolve({ error, message: error })
      if (ear === undefined) waiting.push(heard)
      else ear(...heard)
    }
  })
}

function tcpOf({ link, ends: { local, remote = local }, hear, say }: Plain): TcpSocketResult {
  let reading!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>
  let writing!: WritableStreamDefaultController
  let isOver = false
  const unwritten: PromiseWithResolvers<void>[] = []
  const dataReadableStream = new ReadableStream<Uint8Array<ArrayBuffer>>({ start: own => void (reading = own), cancel: () => void (isOver = true) })
  const dataWritableStream = new WritableStream<Uint8Array<ArrayBuffer>>(
    {
      start: own => void (writing = own),
      write: bytes => {
        const done = Promise.withResolvers<void>()
        unwritten.push(done)
        link.send(bytes)
        return done.promise
      },
      close: () => say({ call: 'end' }),
    },
    { highWaterMark: 65_536, size: ({ byteLength }) => byteLength },
  )
  hear(({ ack, end, error }, bytes) => {
    if (ack !== undefined) unwritten.shift()?.resolve()
    if (isOver) return
    if (bytes !== undefined) reading.enqueue(bytes)
    isOver = end === true || error !== undefined
    if (end === true) reading.close()
    if (error !== undefined) {
      const failure = Object.assign(new Error(error), { code: error })
      reading.error(failure)
      writing.error(failure)
      for (const done of unwritten.splice(0)) done.reject(failure)
    }
  })
  const calling = (call: NonNullable<PlainWord['call']>) => async () => say({ call })
  return {
    ...{ dataReadableStream, dataWritableStream },
    ...{ localAddress: local.address, localFamily: local.family, localPort: local.port },
    ...{ remoteAddress: remote.address, remoteFamily: remote.family, remotePort: remote.port },
    ...{ destroy: calling('destroy'), destroySoon: calling('destroySoon'), end: calling('end'), resetAndDestroy: calling('resetAndDestroy') },
    setOption: async () => undefined,
  }
}

const backend: Backend = {
  tcpSocket: async ({ remoteAddress, remotePort }) => {
    const opened = await open(`/connect?host=${encodeURIComponent(remoteAddress)}&port=${remotePort}`)
    return 'error' in opened ? (opened as never) : tcpOf(opened)
  },
  tcpSocketListener: async ({ localAddress, localPort, onConnection, onClose }) => {
    const opened = await open(`/listen?host=${encodeURIComponent(localAddress)}&port=${localPort}`)
    if ('error' in opened) return opened as never
    const { link, ends, hear, say } = opened
    hear(({ accepted }) => {
      void open(`/accept?${accepted}`).then(taken => ('error' in taken ? undefined : onConnection(tcpOf(taken))))
    })
    link.onclose = () => void onClose?.()
    return { localAddress: ends.local.address, localFamily: ends.local.family, localPort: ends.local.port, close: async () => say({}) }
  },
  udpSocket: async ({ address, port }) => {
    const opened = await open(`/udp?host=${encodeURIComponent(address)}&port=${port}`)
    if ('error' in opened) return opened as never
    const { link, ends, hear, say } = opened
    const { local } = ends
    const closed = Promise.withResolvers<{ reason: string }>()
    const dataReadableStream = new ReadableStream<UdpDatagram>({
      start: controller =>
        hear(({ datagram }) => {
          if (datagram === undefined) return
          const data = Uint8Array.from(atob(datagram.data), letter => letter.charCodeAt(0))
          controller.enqueue({ address: datagram.address, family: datagram.family ?? 'IPv4', port: datagram.port, data: data.buffer, size: data.byteLength })
        }),
    })
    return {
      ...{ dataReadableStream, closed: closed.promise, dataPort: undefined, dataPortAcks: undefined, socketId: 0 },
      ...{ localAddress: local.address, localFamily: local.family, localPort: local.port },
      send: async (to, data, toPort) => {
        say({ datagram: { address: to, port: toPort, data: btoa(String.fromCharCode(...new Uint8Array(data))) } })
      },
      connect: async (to, toPort) => ({ address: to, port: toPort, family: 'IPv4', local: false }),
      disconnect: async () => undefined,
      setOption: async () => undefined,
      close: async () => {
        link.close()
        closed.resolve({ reason: 'closed' })
      },
    }
  },
  lookup: async () => [],
}

useBackend(backend)
Object.assign(globalThis, { plain: { net, http, dgram } satisfies PlainModules })
