import type { UdpSocketResult } from '@deputy/contract/webvpn'
import { isRefusal } from '@deputy/contract/refusals'
import { backend } from './backend.ts'
import { numberAt, readMessage, type Message } from './dns-message.ts'
import type { NameServer } from './dns-servers.ts'
import { systemError } from './errors.ts'

/** A question: its bytes under a number, and what answers it. */
export interface Query {
  readonly write: (id: number) => Uint8Array<ArrayBuffer>
  readonly isOf: (answer: Message) => boolean
}
interface Waiting {
  readonly query: Query
  readonly heard: (answer: Message | undefined) => void
  readonly failed: (error: Error) => void
}
const idle = 1000

/** A UDP socket to one server of names, open while it is used. Each question has a number that cannot be guessed. */
export class DnsLine {
  readonly #server: NameServer
  readonly #waiting = new Map<number, Waiting>()
  #opening: Promise<UdpSocketResult> | undefined
  #resting: ReturnType<typeof setTimeout> | undefined

  constructor(server: NameServer) {
    this.#server = server
  }

  /** Asks once, and waits so many ms from when it was sent; nothing when they pass. @throws EBADRESP, and why the server is out of reach */
  async ask(query: Query, ms: number, signal: AbortSignal): Promise<Message | undefined> {
    clearTimeout(this.#resting)
    const opening = (this.#opening ??= this.#open())
    const socket = await opening
    const { promise, resolve: heard, reject: failed } = Promise.withResolvers<Message | undefined>()
    const id = this.#freeId()
    this.#waiting.set(id, { query, heard, failed })
    const stop = (): void => heard(undefined)
    const timer = setTimeout(stop, ms)
    signal.addEventListener('abort', stop, { once: true })
    try {
      if (signal.aborted) return undefined
      const { address, port } = this.#server
      const sent = socket.send(address, query.write(id).buffer, port)
      sent.then(refusal => isRefusal(refusal) && failed(systemError('send', refusal, this.#server)), failed)
      return await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      this.#waiting.delete(id)
      this.#rest(opening)
    }
  }

  async #open(): Promise<UdpSocketResult> {
    const { address, family, port } = this.#server
    try {
      const socket = await backend().udpSocket({ address: '', port: 0, type: family === 6 ? 'udp6' : 'udp4' })
      if (isRefusal(socket)) throw systemError('connect', socket, this.#server)
      const connected = await socket.connect(address, port)
      if (isRefusal(connected)) {
        leave(socket)
        throw systemError('connect', connected, this.#server)
      }
      this.#hear(socket).catch(() => undefined)
      const over = (reason: string): void => this.#over(systemError('read', reason, this.#server))
      socket.closed.then(
        ({ reason }) => over(reason),
        () => over('ETUNNEL'),
      )
      return socket
    } catch (error) {
      this.#opening = undefined
      throw error
    }
  }

  async #hear({ dataReadableStream }: UdpSocketResult): Promise<void> {
    for await (const { data, address, port } of dataReadableStream) {
      if (address === this.#server.address && port === this.#server.port && data.byteLength > 2) this.#take(new Uint8Array(data))
    }
  }

  #take(bytes: Uint8Array): void {
    const waiting = this.#waiting.get(numberAt(bytes, 0, 2))
    try {
      const answer = readMessage(bytes)
      if (waiting?.query.isOf(answer)) waiting.heard(answer)
    } catch (error) {
      waiting?.failed(error as Error)
    }
  }

  #over(problem: Error): void {
    // One that rested was closed by this line itself.
    if (this.#waiting.size === 0) return
    this.#opening = undefined
    for (const { failed } of this.#waiting.values()) failed(problem)
  }

  #rest(opening: Promise<UdpSocketResult>): void {
    if (this.#waiting.size > 0) return
    clearTimeout(this.#resting)
    this.#resting = setTimeout(() => {
      if (this.#opening === opening) this.#opening = undefined
      opening.then(leave, () => undefined)
    }, idle)
    // In Node no process waits for it.
    ;(this.#resting as { unref?(): void }).unref?.()
  }

  #freeId(): number {
    for (;;) {
      const [id = 0] = crypto.getRandomValues(new Uint16Array(1))
      if (!this.#waiting.has(id)) return id
    }
  }
}

const leave = (socket: UdpSocketResult): void => void socket.close().catch(() => undefined)

/** Asks by TCP, where an answer is never cut. @throws as `DnsLine.ask` */
export async function askByTcp(server: NameServer, query: Query, id: number, ms: number, signal: AbortSignal): Promise<Message | undefined> {
  const socket = await backend().tcpSocket({ remoteAddress: server.address, remotePort: server.port })
  if (isRefusal(socket)) throw systemError('connect', socket, server)
  const end = (): void => void socket.destroy().catch(() => undefined)
  const timer = setTimeout(end, ms)
  signal.addEventListener('abort', end, { once: true })
  try {
    const asked = query.write(id)
    const writer = socket.dataWritableStream.getWriter()
    writer.write(new Uint8Array([asked.length >> 8, asked.length & 255, ...asked])).catch(() => undefined)
    let bytes = new Uint8Array()
    for await (const chunk of socket.dataReadableStream) {
      const joined = new Uint8Array(bytes.length + chunk.length)
      joined.set(bytes)
      joined.set(chunk, bytes.length)
      bytes = joined
      const size = bytes.length < 2 ? Infinity : numberAt(bytes, 0, 2)
      if (bytes.length < size + 2) continue
      const answer = readMessage(bytes.subarray(2, size + 2))
      if (answer.id === id && query.isOf(answer)) return answer
      break
    }
    return undefined
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    end()
  }
}
