import { callable, type Callable } from './node/callable.ts'
import { normalizeArgs, type ConnectArguments, type ConnectOptions } from './node/connect-options.ts'
import { Server as TcpServer, type ServerOptions } from './node/server.ts'
import { Socket as TcpSocket } from './node/socket.ts'

export { isIP, isIPv4, isIPv6 } from './node/address.ts'
export { BlockList } from './node/block-list.ts'
export {
  getDefaultAutoSelectFamily,
  getDefaultAutoSelectFamilyAttemptTimeout,
  normalizeArgs as _normalizeArgs,
  setDefaultAutoSelectFamily,
  setDefaultAutoSelectFamilyAttemptTimeout,
  type ConnectArguments,
  type ConnectOptions,
  type OnRead,
  type SocketOptions,
} from './node/connect-options.ts'
export type { NodeError } from './node/errors.ts'
export type { ListenArguments, ListenOptions, ServerOptions } from './node/server.ts'
export type { AddressInfo } from './node/socket.ts'
export { SocketAddress, type SocketAddressInit } from './node/socket-address.ts'

/** A TCP socket; as in Node it may be made without `new`. */
export const Socket: Callable<typeof TcpSocket> = /* @__PURE__ */ callable(TcpSocket)
export type Socket = TcpSocket
export { Socket as Stream }
/** A TCP server; as in Node it may be made without `new`. */
export const Server = /* @__PURE__ */ callable(TcpServer)
export type Server = TcpServer

/** Makes a socket and connects it: options, or a port with a host (LIB-13). */
export function connect(...of: ConnectArguments): Socket {
  const normalized = normalizeArgs<ConnectOptions>(of)
  const [options] = normalized
  const socket = new TcpSocket(options)
  if (options.timeout) socket.setTimeout(options.timeout)
  return socket.connect(normalized)
}
export { connect as createConnection }

/** Makes a server; the listener is told of every connection (LIB-13). */
export function createServer(options?: ServerOptions | ((socket: Socket) => void) | null, listener?: (socket: Socket) => void): Server {
  return new TcpServer(options, listener)
}

// Many import the module as a whole.
export * as default from './net.ts'
