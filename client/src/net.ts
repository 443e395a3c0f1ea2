import { readConnect, type ConnectArguments, type ConnectOptions, type SocketOptions } from './node/connect-options.ts'
import { Server, type ServerOptions } from './node/server.ts'
import { Socket } from './node/socket.ts'

export { isIP, isIPv4, isIPv6 } from './node/address.ts'
export { BlockList } from './node/block-list.ts'
export type { ConnectArguments, ConnectOptions, SocketOptions } from './node/connect-options.ts'
export type { NodeError } from './node/errors.ts'
export { Server, type ListenArguments, type ListenOptions, type ServerOptions } from './node/server.ts'
export { Socket, type AddressInfo } from './node/socket.ts'
export { SocketAddress, type SocketAddressInit } from './node/socket-address.ts'
export { Socket as Stream } from './node/socket.ts'

/** Makes a socket and connects it: options, or a port with a host (LIB-13). */
export function connect(...of: ConnectArguments): Socket {
  const { options } = readConnect(of)
  const socket = new Socket(own(options))
  return socket.connect(...of)
}
export { connect as createConnection }

/** Makes a server; the listener is told of every connection (LIB-13). */
export function createServer(options?: ServerOptions | ((socket: Socket) => void) | null, listener?: (socket: Socket) => void): Server {
  return new Server(options, listener)
}

let families = true
let familyTimeout = 250
/** The node tries every address of a name itself; what is set here is only remembered. */
export const getDefaultAutoSelectFamily = (): boolean => families
export const setDefaultAutoSelectFamily = (on: boolean): void => void (families = on)
export const getDefaultAutoSelectFamilyAttemptTimeout = (): number => familyTimeout
export const setDefaultAutoSelectFamilyAttemptTimeout = (milliseconds: number): void => void (familyTimeout = Math.max(10, milliseconds))

const own = ({ allowHalfOpen, highWaterMark, signal, noDelay, keepAlive, keepAliveInitialDelay, blockList, onread }: ConnectOptions): SocketOptions => ({
  ...{ allowHalfOpen, highWaterMark, signal, noDelay, keepAlive, keepAliveInitialDelay, blockList, onread },
})

// Many import the module as a whole.
export * as default from './net.ts'
