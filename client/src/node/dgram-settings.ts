import type { UdpSocketOption, UdpSocketResult } from '@deputy/contract/webvpn'
import { EventEmitter } from 'events'
import { isIP, isIPv4, numberOf } from './address.ts'
import { missing, mustBeNumber, mustBeString, nodeError, systemError, unsupported } from './errors.ts'

/** Which of a socket's buffers is meant. */
type BufferName = 'recvBufferSize' | 'sendBufferSize'

const sizeMost = 2 ** 31 - 1

/** The size of a buffer. @throws ERR_SOCKET_BAD_BUFFER_SIZE, ERR_SOCKET_BUFFER_SIZE */
function mustBeSize(name: BufferName, size: unknown): asserts size is number {
  if (typeof size !== 'number' || size >>> 0 !== size) throw nodeError('ERR_SOCKET_BAD_BUFFER_SIZE', 'Buffer size must be a positive integer', TypeError)
  if (size > sizeMost) throw badBuffer(name, 'EINVAL')
}

const told = { EBADF: { errno: -9, message: 'bad file descriptor' }, EINVAL: { errno: -22, message: 'invalid argument' } }

/** What a system says of a buffer's size. */
function badBuffer(name: BufferName, code: keyof typeof told): Error {
  const syscall = `uv_${name === 'recvBufferSize' ? 'recv' : 'send'}_buffer_size`
  const { errno, message } = told[code]
  const error = nodeError('ERR_SOCKET_BUFFER_SIZE', `Could not get or set buffer size: ${syscall} returned ${code} (${message})`)
  return Object.assign(error, { name: 'SystemError', info: { errno, code, message, syscall }, errno, syscall })
}

/** Hops a datagram may take. @throws ERR_INVALID_ARG_TYPE, EINVAL */
function hopsOf(syscall: string, hops: number, least: number): number {
  mustBeNumber('ttl', hops)
  if (!Number.isInteger(hops) || hops < least || hops > 255) throw systemError(syscall, 'EINVAL')
  return hops
}

const isGroup = (address: string): boolean => (isIPv4(address) ? numberOf(address) >> 28n === 0xen : numberOf(address) >> 120n === 0xffn)

/** The refusal of a multicast group, once it is one of the socket's family. @throws ENOTSUP, EINVAL, and what is wrong with the arguments */
function refuseGroup(syscall: string, kind: 4 | 6, names: Readonly<Record<string, unknown>>): never {
  for (const [name, address] of Object.entries(names)) mustBeString(name, address)
  const addresses = Object.values(names) as string[]
  const group = addresses.at(-1) ?? ''
  if (addresses.some(address => isIP(address) !== kind) || !isGroup(group)) throw systemError(syscall, 'EINVAL')
  throw unsupported(syscall, group)
}

const anyOf = { 4: '0.0.0.0', 6: '::' } as const

/** The system's own choice of an interface is the only one there is. @throws ENOTSUP for others, EINVAL */
function mustBeAnyInterface(kind: 4 | 6, address: string): void {
  if (isIP(address) !== kind) throw systemError('setMulticastInterface', 'EINVAL')
  if (address.replace(/%.*/, '') !== anyOf[kind]) throw unsupported('setMulticastInterface', address)
}

const defaultBuffer = 212_992

/** What can be set of a UDP socket, and what is refused. */
export abstract class DgramSettings extends EventEmitter {
  readonly type: 'udp4' | 'udp6'
  protected readonly kind: 4 | 6
  readonly #sizes: Partial<Record<BufferName, number>> = {}
  #kept: UdpSocketOption = {}

  constructor(type: 'udp4' | 'udp6') {
    super()
    this.type = type
    this.kind = type === 'udp6' ? 6 : 4
  }

  /** The tunnel's socket while it is bound. */
  protected abstract settled(): UdpSocketResult | undefined
  /** @throws ERR_SOCKET_DGRAM_NOT_RUNNING */
  protected abstract mustRun(): void

  #set(syscall: string, option: UdpSocketOption): void {
    const socket = this.settled()
    if (socket === undefined) throw systemError(syscall, 'EBADF')
    this.#kept = { ...this.#kept, ...option }
    socket.setOption(option).catch(() => undefined)
  }
  /** Gives a socket what was set of the one before it. */
  protected settleAgain(socket: UdpSocketResult): void {
    socket.setOption(this.#kept).catch(() => undefined)
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
    this.resize('recvBufferSize', bytes)
  }
  setSendBufferSize(bytes: number): void {
    this.resize('sendBufferSize', bytes)
  }
  protected resize(name: BufferName, bytes: number): void {
    mustBeSize(name, bytes)
    this.#sizeOf(name)
    this.#sizes[name] = bytes
    this.#set('setsockopt', { [name]: bytes })
  }
  #sizeOf(name: BufferName): number {
    if (this.settled() === undefined) throw badBuffer(name, 'EBADF')
    return this.#sizes[name] ?? defaultBuffer
  }
  /** What was set, or the usual size of Linux: the node does not tell its own. */
  getRecvBufferSize(): number {
    return this.#sizeOf('recvBufferSize')
  }
  getSendBufferSize(): number {
    return this.#sizeOf('sendBufferSize')
  }

  /** @throws ENOTSUP: no multicast reaches the node. */
  addMembership(multicastAddress: string, _interface?: string): void {
    this.#refuseGroup('addMembership', { multicastAddress })
  }
  /** @throws ENOTSUP */
  dropMembership(multicastAddress: string, _interface?: string): void {
    this.#refuseGroup('dropMembership', { multicastAddress })
  }
  /** @throws ENOTSUP */
  addSourceSpecificMembership(sourceAddress: string, groupAddress: string, _interface?: string): void {
    this.#refuseGroup('addSourceSpecificMembership', { sourceAddress, groupAddress })
  }
  /** @throws ENOTSUP */
  dropSourceSpecificMembership(sourceAddress: string, groupAddress: string, _interface?: string): void {
    this.#refuseGroup('dropSourceSpecificMembership', { sourceAddress, groupAddress })
  }
  #refuseGroup(syscall: string, names: Readonly<Record<string, unknown>>): never {
    this.mustRun()
    if ('multicastAddress' in names && !names['multicastAddress']) throw missing('"multicastAddress" argument')
    refuseGroup(syscall, this.kind, names)
  }
  /** Takes the system's own choice (`0.0.0.0`, `::`). @throws ENOTSUP for any other */
  setMulticastInterface(address: string): void {
    this.mustRun()
    mustBeString('interfaceAddress', address)
    mustBeAnyInterface(this.kind, address)
  }
}
