import { Buffer } from 'buffer'
import { isRefusal } from '@deputy/contract/refusals'
import type { UdpBatch, UdpDatagram, UdpSocketResult } from '@deputy/contract/webvpn'
import { isIP } from './address.ts'
import { backend, type TunnelFail } from './backend.ts'
import { datagramMost, readBind, readSend, type BindOptions, type Payload, type Send, type Sent } from './dgram-arguments.ts'
import { readOptions, type DgramOptions, type MessageListener, type Resolved } from './dgram-options.ts'
import { DgramSettings } from './dgram-settings.ts'
import { mustBeNumber, mustBeString, nodeError, portOf, systemError } from './errors.ts'
import { addressesOf } from './lookup.ts'
import type { AddressInfo } from './socket.ts'
import { nextTick } from './ticks.ts'

type Failing = (error?: Error) => void
type Progress = 'no' | 'under way' | 'done'

/** A UDP socket of the tunnel in the shape of Node's `dgram.Socket`. */
export class DgramSocket extends DgramSettings {
  readonly #options: DgramOptions
  #bound: Progress = 'no'
  #connected: Progress = 'no'
  #socket: UdpSocketResult | undefined
  #remote: AddressInfo | undefined
  /** What waits for the binding. */
  #queue: (() => void)[] | undefined
  #isClosing = false
  #closed = false
  readonly #waiting = { bytes: 0, count: 0 }

  constructor(options: 'udp4' | 'udp6' | DgramOptions, listener?: MessageListener) {
    const read = readOptions(options)
    super(read.type)
    this.#options = read
    if (typeof listener === 'function') this.on('message', listener)
    const { signal } = read
    if (signal === undefined) return
    const close = (): void => {
      if (!this.#closed) this.close()
    }
    if (signal.aborted) close()
    else signal.addEventListener('abort', close, { once: true })
    this.once('close', () => signal.removeEventListener('abort', close))
  }

  /** Binds: a port with an address, or options. Without an address any of the node's will do. */
  bind(...of: [port?: number | (() => void), address?: string | (() => void), listener?: () => void] | [options: BindOptions, listener?: () => void]): this {
    this.mustRun()
    if (this.#bound !== 'no') throw nodeError('ERR_SOCKET_ALREADY_BOUND', 'Socket is already bound')
    const { port, address, listener } = readBind(of)
    this.#bound = 'under way'
    if (listener !== undefined) this.#whenBound(listener)
    const any = this.kind === 6 ? '::' : '0.0.0.0'
    this.#resolve(address || any, (error, found) => {
      if (this.#closed) return
      const where = { address: found, port }
      if (error) return this.#unbound(error)
      if (this.#options.reusePort === true) return this.#unbound(systemError('bind', 'ENOTSUP', where))
      const answered = backend().udpSocket({ address: address === '' && found === any ? '' : found, port, type: this.type, dataPort: true })
      answered.then(
        answer => nextTick(() => this.#open(answer, where)),
        (lost: Error) => nextTick(() => this.#unbound(systemError('bind', lost, where))),
      )
    })
    return this
  }

  #whenBound(listener: () => void): void {
    const forget = (): void => void this.off('error', forget).off('listening', heard)
    const heard = (): void => {
      forget()
      Reflect.apply(listener, this, [])
    }
    this.on('error', forget).on('listening', heard)
  }

  #unbound(error: Error): void {
    if (this.#closed) return
    this.#bound = 'no'
    this.#connected = 'no'
    this.#socket = undefined
    this.#remote = undefined
    this.#queue = undefined
    try {
      this.emit('error', error)
    } finally {
      if (this.#isClosing && !this.#closed) this.#end()
    }
  }

  #open(answer: UdpSocketResult | TunnelFail, where: { readonly address: string; readonly port: number }): void {
    if (isRefusal(answer)) return this.#unbound(systemError('bind', answer, where))
    this.#hold(answer)
    if (this.#closed) return
    for (const name of ['recvBufferSize', 'sendBufferSize'] as const) {
      const size = this.#options[name]
      if (size) this.resize(name, size)
    }
    this.emit('listening')
  }

  #hold(answer: UdpSocketResult): void {
    this.#socket = answer
    if (this.#closed) return this.#release()
    this.#bound = 'done'
    this.#receive(answer)
    answer.closed.then(
      ({ reason }) => nextTick(() => this.#over(reason)),
      () => nextTick(() => this.#over('ETUNNEL')),
    )
  }

  /** What the remote end of a connected socket refuses ends the tunnel's socket, and not this one: it takes its place again. */
  async #anew({ localAddress: address, localPort: port, dataPort }: UdpSocketResult): Promise<void> {
    this.#bound = 'under way'
    dataPort?.close()
    const answer = await backend().udpSocket({ address, port, type: this.type, dataPort: true })
    if (isRefusal(answer)) throw systemError('bind', answer, { address, port })
    if (this.#remote !== undefined) await answer.connect(this.#remote.address, this.#remote.port)
    this.settleAgain(answer)
    nextTick(() => {
      this.#hold(answer)
      this.#flush()
    })
  }

  /** The address of a host as the app's own look-up answers it, or the node's. */
  #resolve(host: string | undefined, done: Resolved): void {
    const { lookup } = this.#options
    const asked = host || (this.kind === 6 ? '::1' : '127.0.0.1')
    if (lookup !== undefined) return lookup(asked, this.kind, done)
    if (isIP(asked) !== 0) return nextTick(() => done(null, asked))
    addressesOf(asked, this.kind).then(
      ([first]) => nextTick(() => done(null, first?.address ?? asked)),
      (error: Error) => nextTick(() => done(error, '')),
    )
  }

  /** Runs now, or once it is bound. What waits is forgotten when the binding fails. */
  #afterBinding(run: () => void): void {
    if (this.#bound === 'no') this.bind({ port: 0, exclusive: true })
    if (this.#bound === 'done') return run()
    if (this.#queue !== undefined) return void this.#queue.push(run)
    const queue = [run]
    this.#queue = queue
    if (this.#socket !== undefined) return
    this.once('listening', () => {
      if (this.#queue === queue) this.#flush()
    })
  }

  #flush(): void {
    const waiting = this.#queue ?? []
    this.#queue = undefined
    for (const next of waiting) next()
  }

  #receive({ dataPort, dataReadableStream }: UdpSocketResult): void {
    if (dataPort !== undefined) {
      dataPort.onmessage = ({ data }: MessageEvent<UdpBatch>) => {
        dataPort.postMessage({ ack: data.seq })
        for (const datagram of data.datagrams) this.#give(datagram)
      }
      return
    }
    const read = async (): Promise<void> => {
      for await (const datagram of dataReadableStream) this.#give(datagram)
    }
    // Its end is told by `closed`.
    read().catch(() => undefined)
  }

  #give({ address, data, family, port }: UdpDatagram): void {
    if (this.#closed) return
    try {
      if (this.#options.receiveBlockList?.check(address, family === 'IPv6' ? 'ipv6' : 'ipv4') === true) return
      const message = Buffer.from(data)
      this.emit('message', message, { address, family, port, size: message.byteLength })
    } catch (error) {
      // What a listener throws is the page's to hear of, and no reason to lose the datagrams that came with this one.
      nextTick(() => {
        throw error
      })
    }
  }

  #over(reason: string): void {
    if (this.#closed) return
    const isOfPeer = this.#remote !== undefined && ofPeer.has(reason)
    if (isOfPeer && this.#socket !== undefined) this.#anew(this.#socket).catch((error: Error) => nextTick(() => this.#unbound(error)))
    if (reason !== 'closed') this.emit('error', systemError('recvmsg', reason))
    if (!isOfPeer && !this.#closed) this.close()
  }

  /** Sends one datagram: `(message[, offset, length][, port][, address][, callback])`. The first one binds a socket that is not. */
  send(...of: [message: Payload, ...rest: unknown[]]): void {
    const asked = readSend(of, this.#connected === 'done')
    this.mustRun()
    this.#afterBinding(() => {
      if (this.#remote !== undefined) return this.#deliver(asked, null, '')
      this.#resolve(asked.address, (error, address) => this.#deliver(asked, error, address))
    })
  }
  /** The older form of `send`, which names everything. */
  sendto(message: Payload, offset: number, length: number, port: number, address: string, done?: Sent): void {
    mustBeNumber('offset', offset)
    mustBeNumber('length', length)
    mustBeNumber('port', port)
    mustBeString('address', address)
    this.send(message, offset, length, port, address, done)
  }

  #deliver({ data, port, address, done }: Send, error: Error | null, found: string): void {
    if (error) return nextTick(() => void (done === undefined ? this.emit('error', error) : done(error)))
    // A closed socket's datagrams are lost, and nobody is told, as in Node.
    if (this.#closed || this.#socket === undefined) return
    const fail = (problem: Error): void => nextTick(() => done?.(problem))
    const to = found || (this.#remote?.address ?? '')
    if (found !== '' && this.#blocks(found)) return fail(blocked(found))
    const where = { address: address ?? to, port: port || this.#remote?.port }
    if (isIP(to) !== this.kind) return fail(systemError('send', 'EINVAL', where))
    // Transferred with the sending, they have no length afterwards.
    const { byteLength } = data
    if (byteLength > datagramMost) return fail(systemError('send', 'EMSGSIZE', where))
    this.#wait(byteLength, 1)
    this.#socket.send(to, data.buffer, where.port ?? 0).then(
      answer => {
        this.#wait(-byteLength, -1)
        if (isRefusal(answer)) return fail(systemError('send', answer, where))
        if (done !== undefined) nextTick(done, null, byteLength)
      },
      (lost: Error) => {
        this.#wait(-byteLength, -1)
        fail(systemError('send', lost, where))
      },
    )
  }

  #wait(bytes: number, count: number): void {
    this.#waiting.bytes += bytes
    this.#waiting.count += count
  }

  #blocks(address: string): boolean {
    return this.#options.sendBlockList?.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4') === true
  }

  /** Names the one remote end; only its messages arrive from then on. */
  connect(port: number, ...of: [address?: string | Failing, listener?: Failing]): void {
    const checked = portOf(port, 'Port', false)
    const [address, listener] = typeof of[0] === 'function' ? [undefined, of[0]] : of
    mustBeString('address', address ?? '')
    if (this.#connected !== 'no') throw nodeError('ERR_SOCKET_DGRAM_IS_CONNECTED', 'Already connected')
    this.mustRun()
    this.#connected = 'under way'
    this.#afterBinding(() => {
      const heard = typeof listener === 'function' ? listener : undefined
      if (heard !== undefined) this.once('connect', heard)
      const fail = (error: Error): void =>
        nextTick(() => {
          if (this.#closed) return
          this.#connected = 'no'
          if (heard === undefined) return void this.emit('error', error)
          this.off('connect', heard)
          heard(error)
        })
      this.#resolve(address as string | undefined, (error, found) => {
        if (this.#closed) return
        const where = { address: found, port: checked }
        if (error) return fail(error)
        if (this.#blocks(found)) return fail(blocked(found))
        if (isIP(found) !== this.kind) return fail(systemError('connect', 'EINVAL', where))
        this.#socket?.connect(found, checked).then(
          answer => {
            if (isRefusal(answer)) return fail(systemError('connect', answer, where))
            nextTick(() => {
              if (this.#closed) return
              this.#connected = 'done'
              this.#remote = { address: answer.address, family: answer.family, port: answer.port }
              this.emit('connect')
            })
          },
          (lost: Error) => fail(systemError('connect', lost, where)),
        )
      })
    })
  }

  disconnect(): void {
    if (this.#remote === undefined) throw notConnected()
    this.#remote = undefined
    this.#connected = 'no'
    this.#socket?.disconnect().catch(() => undefined)
  }

  remoteAddress(): AddressInfo {
    this.mustRun()
    if (this.#remote === undefined) throw notConnected()
    return { ...this.#remote }
  }

  address(): AddressInfo {
    this.mustRun()
    if (this.#socket === undefined) throw systemError('getsockname', 'EBADF')
    const { localAddress, localFamily, localPort } = this.#socket
    return { address: localAddress, family: localFamily, port: localPort }
  }

  /** Closes, after what waits for the binding was sent. */
  close(done?: () => void): this {
    if (typeof done === 'function') this.on('close', done)
    if (this.#queue === undefined) this.mustRun()
    else if (!this.#isClosing) {
      this.#queue.push(() => {
        if (!this.#closed) this.#end()
      })
    }
    this.#isClosing = true
    if (this.#queue === undefined) this.#end()
    return this
  }

  #end(): void {
    this.#closed = true
    this.#remote = undefined
    this.#connected = 'no'
    this.#release()
    nextTick(() => this.emit('close'))
  }

  #release(): void {
    this.#socket?.dataPort?.close()
    this.#socket?.close().catch(() => undefined)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    await new Promise<void>(resolve => this.close(resolve))
  }

  protected override settled(): UdpSocketResult | undefined {
    return this.#closed ? undefined : this.#socket
  }

  getSendQueueSize(): number {
    return this.#waiting.bytes
  }
  getSendQueueCount(): number {
    return this.#waiting.count
  }

  ref(): this {
    return this
  }
  unref(): this {
    return this
  }

  protected override mustRun(): void {
    if (this.#closed) throw nodeError('ERR_SOCKET_DGRAM_NOT_RUNNING', 'Not running')
  }
}

const ofPeer = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'])
const notConnected = (): Error => nodeError('ERR_SOCKET_DGRAM_NOT_CONNECTED', 'Not connected')
const blocked = (address: string): Error => nodeError('ERR_IP_BLOCKED', `IP(${address}) is blocked by net.BlockList`)
