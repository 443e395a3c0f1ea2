/** What test pages of the tunnel hold beside `app`, as `net`: small steps on sockets and streams. Bundled by `tunnel-scene.ts`. */
import { isRefusal } from '@deputy/contract/refusals'
import type { Fail } from '@deputy/contract/shape'
import type { TcpSocketListenerResult, TcpSocketResult, UdpSocketResult } from '@deputy/contract/webvpn'

/** How something ended, as data. */
export interface Ending {
  readonly text: string
  readonly bytes: number
  readonly code?: unknown
}

export interface Net {
  /** Things tests keep between two steps. */
  readonly kept: {
    tcp: TcpSocketResult[]
    listeners: TcpSocketListenerResult[]
    udp: UdpSocketResult[]
    responses: Response[]
    endings: Promise<unknown>[]
    /** What an interval of a test counts. */
    told: unknown[]
  }
  /** The answer, or an error with the refusal's code. */
  won<T>(answer: T): Exclude<T, Fail>
  /** Connects and keeps the socket; answers its index. */
  connect(remoteAddress: string, remotePort: number): Promise<number>
  /** Reads to the end, or to the error. */
  ending(stream: ReadableStream<Uint8Array>): Promise<Ending>
  /** Writes one text. */
  write(socket: TcpSocketResult, text: string): Promise<void>
  /** Reads until so many bytes have come. */
  take(socket: TcpSocketResult, bytes: number): Promise<string>
}

const net: Net = {
  kept: { tcp: [], listeners: [], udp: [], responses: [], endings: [], told: [] },
  won: answer => {
    if (isRefusal(answer)) throw Object.assign(new Error(`refused: ${(answer as { error: string }).error}`), { code: (answer as { error: string }).error })
    return answer as never
  },
  connect: async (remoteAddress, remotePort) => net.kept.tcp.push(net.won(await app.broker.webvpn.tcpSocket({ remoteAddress, remotePort }))) - 1,
  ending: async stream => {
    let text = ''
    let bytes = 0
    const decoder = new TextDecoder()
    try {
      for await (const chunk of stream) {
        bytes += chunk.byteLength
        if (text.length < 4096) text += decoder.decode(chunk, { stream: true })
      }
      return { text, bytes }
    } catch (error) {
      return { text, bytes, code: (error as { code?: unknown }).code }
    }
  },
  write: async ({ dataWritableStream }, text) => {
    const writer = dataWritableStream.getWriter()
    await writer.write(new TextEncoder().encode(text))
    writer.releaseLock()
  },
  take: async ({ dataReadableStream }, bytes) => {
    const reader = dataReadableStream.getReader()
    let text = ''
    try {
      while (text.length < bytes) {
        const { done, value } = await reader.read()
        if (done) break
        text += new TextDecoder().decode(value)
      }
      return text
    } finally {
      reader.releaseLock()
    }
  },
}
Object.assign(globalThis, { net })
