import type { Buffer } from 'buffer'
import { BlockList } from './block-list.ts'
import { mustBeFunction, mustBeNumber, nodeError, wrongType } from './errors.ts'

/** Told of the address of a host. */
export type Resolved = (error: Error | null, address: string, family?: number) => void
/** How a UDP socket behaves. */
export interface DgramOptions {
  readonly type: 'udp4' | 'udp6'
  readonly reuseAddr?: boolean | undefined
  readonly reusePort?: boolean | undefined
  readonly ipv6Only?: boolean | undefined
  readonly recvBufferSize?: number | undefined
  readonly sendBufferSize?: number | undefined
  /** Asked for every host, also where it is an address. */
  readonly lookup?: ((host: string, family: number, done: Resolved) => void) | undefined
  readonly signal?: AbortSignal | undefined
  readonly receiveBlockList?: BlockList | undefined
  readonly sendBlockList?: BlockList | undefined
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

const isSignal = (value: unknown): boolean => typeof value === 'object' && value !== null && 'aborted' in value

/** Reads what `createSocket` takes. @throws ERR_SOCKET_BAD_TYPE, ERR_INVALID_ARG_TYPE */
export function readOptions(options: 'udp4' | 'udp6' | DgramOptions): DgramOptions {
  const read: DgramOptions = typeof options === 'object' && options !== null ? options : { type: options }
  const { type, lookup, signal } = read
  if (type !== 'udp4' && type !== 'udp6') throw nodeError('ERR_SOCKET_BAD_TYPE', 'Bad socket type specified. Valid types are: udp4, udp6', TypeError)
  if (lookup !== undefined) mustBeFunction('lookup', lookup)
  for (const name of ['recvBufferSize', 'sendBufferSize'] as const) if (read[name]) mustBeNumber(`options.${name}`, read[name])
  for (const name of ['receiveBlockList', 'sendBlockList'] as const) {
    if (read[name] && !BlockList.isBlockList(read[name])) throw wrongType(`options.${name}`, 'an net.BlockList', read[name])
  }
  if (signal !== undefined && !isSignal(signal)) throw wrongType('options.signal', 'an instance of AbortSignal', signal)
  return read
}
