// A child process of the benches: a link with a delay, and where the kernel does not do it a rate, between whoever connects and one address.
// Arguments: host, port, milliseconds one way, bytes per second (0: as fast as they come). Says its port, then the bytes that came back so far whenever it is asked.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

const [host = '127.0.0.1', port = '0', delay = '0', rate = '0'] = process.argv.slice(2)
/** What a router keeps waiting, per direction. */
const queueMost = 128 * 1024
const unreadMost = 1024 * 1024

/** One direction of the link, shared by all its connections. */
class Way {
  passed = 0
  readonly #queue: { readonly due: number; readonly run: () => void }[] = []
  #free = 0
  #planned = false
  readonly #held = new Set<Socket>()

  /** Sends bytes after those that wait, and arrives with them after the delay. */
  carry(from: Socket, to: Socket, bytes: Buffer): void {
    const now = performance.now()
    this.#free = Math.max(now, this.#free) + (Number(rate) === 0 ? 0 : (bytes.length / Number(rate)) * 1000)
    this.passed += bytes.length
    this.#later(() => {
      if (!to.writable || to.write(bytes) || to.writableLength < unreadMost) return
      from.pause()
      to.once('drain', () => from.resume())
    })
    const waiting = ((this.#free - now) * Number(rate)) / 1000
    if (waiting < queueMost || this.#held.has(from)) return
    this.#held.add(from)
    from.pause()
    setTimeout(
      () => {
        this.#held.delete(from)
        from.resume()
      },
      ((waiting - queueMost / 2) / Number(rate)) * 1000,
    )
  }
  /** Does something at the other end, once everything before it has arrived. */
  after(run: () => void): void {
    this.#free = Math.max(performance.now(), this.#free)
    this.#later(run)
  }
  #later(run: () => void): void {
    this.#queue.push({ due: this.#free + Number(delay), run })
    if (this.#planned) return
    this.#planned = true
    setTimeout(this.#deliver, this.#free + Number(delay) - performance.now())
  }
  readonly #deliver = (): void => {
    const now = performance.now()
    while (this.#queue[0] !== undefined && this.#queue[0].due <= now + 0.5) this.#queue.shift()?.run()
    this.#planned = this.#queue[0] !== undefined
    if (this.#queue[0] !== undefined) setTimeout(this.#deliver, this.#queue[0].due - now)
  }
}

const there = new Way()
const back = new Way()
const server = createServer({ allowHalfOpen: true, noDelay: true }, near => {
  const far = connect({ host, port: Number(port), noDelay: true, allowHalfOpen: true })
  for (const [from, to, way] of [
    [near, far, there],
    [far, near, back],
  ] as const) {
    from.on('data', bytes => way.carry(from, to, bytes))
    from.on('end', () => way.after(() => to.end()))
    from.on('error', () => to.destroy())
    from.on('close', () => way.after(() => to.destroySoon()))
  }
})
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
process.send?.({ port: (server.address() as AddressInfo).port })
process.on('message', () => process.send?.({ passed: back.passed }))
process.on('disconnect', () => process.exit(0))
