import { Buffer } from 'buffer'
import { isRefusal } from '@deputy/contract/refusals'
import type { UdpBatch, UdpDatagram, UdpSocketOption, UdpSocketResult } from '@deputy/contract/webvpn'
import { EventEmitter } from 'events'
import { isIP } from './address.ts'
import { backend } from './backend.ts'
import type { BlockList } from './block-list.ts'
import { datagramMost, isDone, mustBeSize, readSend, type Payload } from './dgram-arguments.ts'
import { mustBeFunction, mustBeNumber, nodeError, portOf, systemError, unsupported, wrongType } from './errors.ts'
import { addressesOf, askLookup, type LookupFunction } from './lookup.ts'
import type { AddressInfo } from './socket.ts'
import { nextTick } from './ticks.ts'

/** How a UDP socket behaves. */
export interface DgramOptions {
  readonly type: 'udp4' | 'udp6'
  readonly reuseAddr?: boolean | undefined
  readonly ipv6Only?: boolean | undefined
  readonly recvBufferSize?: number | undefined
  readonly sendBufferSize?: number | undefined
  readonly lookup?: LookupFunction | undefined
  readonly signal?: AbortSignal | undefined
  readonly receiveBlockList?: BlockList | undefined
  readonly sendBlockList?: BlockList | undefined
}
/** Where a UDP socket is bound. */
export interface BindOptions {
  readonly port?: number | undefined
  readonly address?: string | undefined
  readonly exclusive?: boolean | undefined
}
/** Where a message came from, and its length. */
export interface RemoteInfo {
  address: string
  family: 'IPv4' | 'IPv6'
  port: number
  size: number
}
/** Told of each message. */
export type MessageListener = (message: Buffer, from: RemoteInfo) => void

type Failing = (error?: Error) => void
const defaultBuffer = 212_992

/** A UDP socket of the tunnel in the shape of Node's `dgram.Socket`. */
export class DgramSocket extends EventEmitter {
  readonly type: 'udp4' | 'udp6'
  readonly #options: DgramOptions
  #bound: Promise<UdpSocketResult> | undefined
  #socket: UdpSocketResult | undefined
  #closed = false
  #remote: AddressInfo | undefined
  #connecting = false
  #sizes: { recvBufferSize?: number; sendBufferSize?: number } = {}
  #waiting = 0

  constructor(options: 'udp4' | 'udp6' | DgramOptions, listener?: MessageListener) {
    super()
    const read: DgramOptions = typeof options === 'object' && options !== null ? options : { type: options }
    if (read.type !== 'udp4' && read.type !== 'udp6') {
      throw nodeError('ERR_SOCKET_BAD_TYPE', 'Bad socket type specified. Valid types are: udp4, udp6', TypeError)
    }
    if (read.lookup !== undefined) mustBeFunction('lookup', read.lookup)
    this.type = read.type
    this.#options = read
    if (listener !== undefined) this.on('message', listener)
    const { signal } = read
    if (signal === undefined) return
    const close = (): void => {
      if (!this.#closed) this.close()
    }
    if (signal.aborted) nextTick(close)
    else signal.addEventListener('abort', close, { once: true })
    this.once('close', () => signal.removeEventListener('abort', close))
  }

  /** Binds: a port with an address, or options. Without an address any of the node's will do. */
  bind(...of: [port?: number | (() => void), address?: string | (() => void), listener?: () => void] | [options: BindOptions, listener?: () => void]): this {
    this.#mustRun()
    if (this.#bound !== undefined) throw nodeError('ERR_SOCKET_ALREADY_BOUND', 'Socket is already bound')
    const [first, second] = of
    const listener = of.find(value => typeof value === 'function')
    const options: BindOptions =
      typeof first === 'object' && first !== null
        ? first
        : { port: typeof first === 'number' ? first : 0, ...(typeof second === 'string' ? { address: second } : {}) }
    if (listener !== undefined) this.once('listening', listener)
    this.#bind(options.address ?? '', portOf(options.port ?? 0)).catch((error: unknown) => {
      this.#bound = undefined
      if (listener !== undefined) this.off('listening', listener)
      if (!this.#closed) this.emit('error', error)
    })
    return this
  }

  #bind(address: string, port: number): Promise<UdpSocketResult> {
    this.#bound ??= this.#open(address, port)
    return this.#bound
  }

  async #open(asked: string, port: number): Promise<UdpSocketResult> {
    const address = asked === '' ? '' : await this.#addressOf(asked)
    const answer = await backend().udpSocket({ address, port, type: this.type, dataPort: true })
    if (isRefusal(answer)) throw systemError('bind', answer, { address: address === '' ? '0.0.0.0' : address, port })
    if (this.#closed) {
      answer.close().catch(() => undefined)
      throw notRunning()
    }
    this.#socket = answer
    const { recvBufferSize, sendBufferSize } = this.#options
    if (recvBufferSize !== undefined) this.setRecvBufferSize(recvBufferSize)
    if (sendBufferSize !== undefined) this.setSendBufferSize(sendBufferSize)
    this.#receive(answer)
    answer.closed.then(
      ({ reason }) => this.#over(reason),
      () => this.#over('ETUNNEL'),
    )
    this.emit('listening')
    return answer
  }

  #receive({ dataPort, dataReadableStream }: UdpSocketResult): void {
    if (dataPort !== undefined) {
      dataPort.onmessage = ({ data }: MessageEvent<UdpBatch>) => {
        dataPort.postMessage({ ack: data.seq })
        for (const datagram of data.datagrams) this.#give(datagram)
      }
      this.once('close', () => dataPort.close())
      return
    }
    const read = async (): Promise<void> => {
      for await (const datagram of dataReadableStream) this.#give(datagram)
    }
    // Its end is told by `closed`.
    read().catch(() => undefined)
  }

  #give({ address, data, family, port }: UdpDatagram): void {
    if (this.#closed || this.#options.receiveBlockList?.check(address, family === 'IPv6' ? 'ipv6' : 'ipv4') === true) return
    const message = Buffer.from(data)
    this.emit('message', message, { address, family, port, size: message.byteLength })
  }

  #over(reason: string): void {
    if (this.#closed) return
    if (reason !== 'closed') this.emit('error', systemError('recvmsg', reason))
    if (!this.#closed) this.close()
  }

  /** Sends one datagram: `(message[, offset, length][, port][, address][, callback])`. The first one binds a socket that is not. */
  send(...of: [message: Payload, ...rest: unknown[]]): void {
    this.#mustRun()
    const { data, port, address, done } = readSend(of, this.#remote !== undefined)
    // Transferred with the sending, they have no length afterwards.
    const { byteLength } = data
    this.#waiting += byteLength
    this.#send(data, port, address)
      .then(
        () => done?.(null, byteLength),
        (error: Error) => {
          if (done !== undefined) done(error)
          else if ((error as { syscall?: string }).syscall !== 'send' && !this.#closed) this.emit('error', error)
        },
      )
      .finally(() => (this.#waiting -= byteLength))
  }

  async #send(data: Uint8Array<ArrayBuffer>, port: number, host: string | undefined): Promise<void> {
    const socket = this.#socket ?? (await this.#bind('', 0))
    const remote = this.#remote
    const to = remote === undefined ? await this.#addressOf(host ?? '') : remote.address
    const where = { address: to, port: remote?.port ?? port }
    if (this.#closed) throw notRunning()
    if (this.#options.sendBlockList?.check(to, isIP(to) === 6 ? 'ipv6' : 'ipv4') === true)
      throw nodeError('ERR_IP_BLOCKED', `IP(${to}) is blocked by net.BlockList`)
    if (data.byteLength > datagramMost) throw systemError('send', 'EMSGSIZE', where)
    const answer = await socket.send(to, data.buffer, where.port)
    if (isRefusal(answer)) throw systemError('send', answer, where)
  }

  async #addressOf(host: string): Promise<string> {
    const family = this.type === 'udp6' ? 6 : 4
    if (host === '') return family === 6 ? '::1' : '127.0.0.1'
    if (isIP(host) !== 0) return host
    const { lookup } = this.#options
    return lookup === undefined ? ((await addressesOf(host, family))[0]?.address ?? host) : (await askLookup(lookup, host, family)).address
  }

  /** Names the one remote end; only its messages arrive from then on. */
  connect(port: number, ...of: [address?: string | Failing, listener?: Failing]): void {
    this.#mustRun()
    const checked = portOf(port, 'Port', false)
    const listener = of.find(isDone)
    const host = typeof of[0] === 'string' ? of[0] : ''
    if (this.#remote !== undefined || this.#connecting) throw nodeError('ERR_SOCKET_DGRAM_IS_CONNECTED', 'Already connected')
    this.#connecting = true
    if (listener !== undefined) this.once('connect', listener)
    this.#connect(checked, host).then(
      () => this.emit('connect'),
      (error: Error) => {
        this.#connecting = false
        if (listener !== undefined) this.off('connect', listener)
        if (listener !== undefined) listener(error)
        else if (!this.#closed) this.emit('error', error)
      },
    )
  }

  async #connect(port: number, host: string): Promise<void> {
    const socket = this.#socket ?? (await this.#bind('', 0))
    const address = await this.#addressOf(host)
    const answer = await socket.connect(address, port)
    if (isRefusal(answer)) throw systemError('connect', answer, { address, port })
    this.#connecting = false
    this.#remote = { address: answer.address, family: answer.family, port: answer.port }
  }

  disconnect(): void {
    if (this.#remote === undefined) throw notConnected()
    this.#remote = undefined
    this.#socket?.disconnect().catch(() => undefined)
  }

  remoteAddress(): AddressInfo {
    if (this.#remote === undefined) throw notConnected()
    return { ...this.#remote }
  }

  address(): AddressInfo {
    this.#mustRun()
    if (this.#socket === undefined) throw systemError('getsockname', 'EBADF')
    const { localAddress, localFamily, localPort } = this.#socket
    return { address: localAddress, family: localFamily, port: localPort }
  }

  close(done?: () => void): this {
    if (done !== undefined) this.once('close', done)
    this.#mustRun()
    this.#closed = true
    this.#socket?.close().catch(() => undefined)
    this.#remote = undefined
    nextTick(() => this.emit('close'))
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    await new Promise<void>(resolve => this.close(resolve))
  }

  #set(syscall: string, option: UdpSocketOption): void {
    if (this.#socket === undefined || this.#closed) throw systemError(syscall, 'EBADF')
    this.#socket.setOption(option).catch(() => undefined)
  }

  setBroadcast(on: boolean): void {
    this.#set('setBroadcast', { broadcast: Boolean(on) })
  }
  setTTL(hops: number): number {
    this.#set('setTTL', { ttl: hopsOf('setTTL', hops, 1) })
    return hops
  }
  setMulticastTTL(hops: number): number {
    this.#set('setMulticastTTL', { multicastTtl: hopsOf('setMulticastTTL', hops, 0) })
    return hops
  }
  setMulticastLoopback(on: boolean): boolean {
    this.#set('setMulticastLoopback', { multicastLoopback: Boolean(on) })
    return on
  }
  setRecvBufferSize(bytes: number): void {
    this.#resize('recvBufferSize', bytes)
  }
  setSendBufferSize(bytes: number): void {
    this.#resize('sendBufferSize', bytes)
  }
  #resize(name: 'recvBufferSize' | 'sendBufferSize', bytes: number): void {
    mustBeSize(bytes)
    if (this.#socket === undefined) throw badBuffer(name)
    this.#sizes[name] = bytes
    this.#set('setsockopt', { [name]: bytes })
  }
  /** What was set, or the usual size of Linux: the node does not tell its own. */
  getRecvBufferSize(): number {
    if (this.#socket === undefined) throw badBuffer('recvBufferSize')
    return this.#sizes.recvBufferSize ?? defaultBuffer
  }
  getSendBufferSize(): number {
    if (this.#socket === undefined) throw badBuffer('sendBufferSize')
    return this.#sizes.sendBufferSize ?? defaultBuffer
  }
  getSendQueueSize(): number {
    return this.#waiting
  }
  getSendQueueCount(): number {
    return this.#waiting > 0 ? 1 : 0
  }

  /** @throws ENOTSUP: no multicast reaches the node. */
  addMembership(group: string, _interface?: string): void {
    refuseGroup('addMembership', group)
  }
  /** @throws ENOTSUP */
  dropMembership(group: string, _interface?: string): void {
    refuseGroup('dropMembership', group)
  }
  /** @throws ENOTSUP */
  addSourceSpecificMembership(_source: string, group: string, _interface?: string): void {
    refuseGroup('addSourceSpecificMembership', group)
  }
  /** @throws ENOTSUP */
  dropSourceSpecificMembership(_source: string, group: string, _interface?: string): void {
    refuseGroup('dropSourceSpecificMembership', group)
  }
  /** @throws ENOTSUP */
  setMulticastInterface(address: string): void {
    refuseGroup('setMulticastInterface', address)
  }

  ref(): this {
    return this
  }
  unref(): this {
    return this
  }

  #mustRun(): void {
    if (this.#closed) throw notRunning()
  }
}

const notRunning = (): Error => nodeError('ERR_SOCKET_DGRAM_NOT_RUNNING', 'Not running')
const notConnected = (): Error => nodeError('ERR_SOCKET_DGRAM_NOT_CONNECTED', 'Not connected')
const badBuffer = (name: string): Error => {
  const call = `uv_${name === 'recvBufferSize' ? 'recv' : 'send'}_buffer_size`
  const error = nodeError('ERR_SOCKET_BUFFER_SIZE', `Could not get or set buffer size: ${call} returned EBADF (bad file descriptor)`)
  return Object.assign(error, { name: 'SystemError', syscall: call, errno: -9 })
}

function hopsOf(syscall: string, hops: number, least: number): number {
  if (typeof hops !== 'number') throw wrongType('ttl', 'of type number', hops)
  mustBeNumber('ttl', hops)
  if (!Number.isInteger(hops) || hops < least || hops > 255) throw systemError(syscall, 'EINVAL')
  return hops
}

function refuseGroup(syscall: string, group: unknown): never {
  if (typeof group !== 'string') throw wrongType('multicastAddress', 'of type string', group)
  throw unsupported(syscall, group)
}
