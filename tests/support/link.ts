import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A network between whoever connects to `port` and one address. */
export interface Link {
  readonly port: number
  /** Bytes that came back from the address so far. */
  readonly passed: number
  /** Connections that are open. */
  readonly open: number
  /** Breaks every connection, as a router does that forgets them. */
  cut(): void
  /** From now on nothing passes on the connections there are, and nobody is told; new ones work. */
  freeze(): void
  close(): Promise<void>
}

/** How a network is: milliseconds one way, and bytes per second of each direction (0: as fast as they come). */
export interface LinkOptions {
  readonly host?: string
  readonly port: number
  readonly delay?: number
  readonly rate?: number
}

/** What a router keeps waiting, per direction. */
const queueMost = 128 * 1024
const unreadMost = 1024 * 1024

/** One direction of a link, shared by all its connections. */
class Way {
  passed = 0
  readonly #rate: number
  readonly #delay: number
  readonly #queue: { readonly due: number; readonly run: () => void }[] = []
  readonly #held = new Set<Socket>()
  #free = 0
  #planned = false
  constructor(rate: number, delay: number) {
    this.#rate = rate
    this.#delay = delay
  }

  /** Sends bytes after those that wait, and arrives with them after the delay. */
  carry(from: Socket, to: Socket, bytes: Buffer): void {
    const now = performance.now()
    this.#free = Math.max(now, this.#free) + (this.#rate === 0 ? 0 : (bytes.length / this.#rate) * 1000)
    this.passed += bytes.length
    this.#later(() => {
      if (!to.writable || to.write(bytes) || to.writableLength < unreadMost) return
      from.pause()
      to.once('drain', () => from.resume())
    })
    const waiting = ((this.#free - now) * this.#rate) / 1000
    if (waiting < queueMost || this.#held.has(from)) return
    this.#held.add(from)
    from.pause()
    setTimeout(
      () => {
        this.#held.delete(from)
        from.resume()
      },
      ((waiting - queueMost / 2) / this.#rate) * 1000,
    )
  }
  /** Does something at the other end, once everything before it has arrived. */
  after(run: () => void): void {
    this.#free = Math.max(performance.now(), this.#free)
    this.#later(run)
  }
  #later(run: () => void): void {
    this.#queue.push({ due: this.#free + this.#delay, run })
    if (this.#planned) return
    this.#planned = true
    setTimeout(this.#deliver, Math.max(0, this.#free + this.#delay - performance.now()))
  }
  readonly #deliver = (): void => {
    const now = performance.now()
    while (this.#queue[0] !== undefined && this.#queue[0].due <= now + 0.5) this.#queue.shift()?.run()
    this.#planned = this.#queue[0] !== undefined
    if (this.#queue[0] !== undefined) setTimeout(this.#deliver, Math.max(0, this.#queue[0].due - now))
  }
}

/** Opens a link on a free port of the loopback address. */
export async function openLink({ host = '127.0.0.1', port, delay = 0, rate = 0 }: LinkOptions): Promise<Link> {
  const [there, back] = [new Way(rate, delay), new Way(rate, delay)]
  const live = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true, noDelay: true }, near => {
    const far = connect({ host, port, noDelay: true, allowHalfOpen: true })
    for (const [from, to, way] of [
      [near, far, there],
      [far, near, back],
    ] as const) {
      live.add(from)
      from.on('data', bytes => way.carry(from, to, bytes))
      from.on('end', () => way.after(() => to.end()))
      from.on('error', () => to.destroy())
      from.on('close', () => {
        live.delete(from)
        way.after(() => to.destroySoon())
      })
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const end = (): void => {
    for (const socket of live) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    get passed() {
      return back.passed
    },
    get open() {
      return live.size / 2
    },
    cut: () => {
      for (const socket of live) socket.resetAndDestroy()
    },
    freeze: () => {
      for (const socket of live) socket.removeAllListeners('data').removeAllListeners('end').pause()
    },
    close: () => {
      end()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}
