import { Socket } from './node/socket.ts'
import { readTls, type TlsConnectArguments } from './tls/options.ts'
import { TLSSocket } from './tls/socket.ts'

export type { CertificateName, PeerCertificate } from './tls/certificate.ts'
export { checkServerIdentity } from './tls/identity.ts'
export type { TlsConnectArguments, TlsConnectOptions, TlsOptions } from './tls/options.ts'
export {
  createSecureContext,
  DEFAULT_CIPHERS,
  DEFAULT_ECDH_CURVE,
  DEFAULT_MAX_VERSION,
  DEFAULT_MIN_VERSION,
  SecureContext,
  type KeyPem,
  type Pem,
  type SecureContextOptions,
  type SecureVersion,
} from './tls/secure-context.ts'
export { TLSSocket } from './tls/socket.ts'

/** Connects and secures: options, a port with a host, or a stream that stands already (LIB-13). TLS ends in this page. */
export function connect(...of: TlsConnectArguments): TLSSocket {
  const { options, listener } = readTls(of)
  if (options.socket !== undefined) return heard(new TLSSocket(options.socket, options), listener)
  const { noDelay, keepAlive, keepAliveInitialDelay, blockList, timeout, path, ...rest } = options
  // Which side ends first is for TLS to say. Agents give a path of `null`, so that a request's is not taken for a socket's.
  const under = new Socket({ noDelay, keepAlive, keepAliveInitialDelay, blockList, allowHalfOpen: true }).connect({ ...rest, ...(path ? { path } : {}) })
  let socket: TLSSocket | undefined
  try {
    socket = heard(new TLSSocket(under, options), listener)
    if (timeout !== undefined) socket.setTimeout(timeout)
    return socket
  } catch (error) {
    ;(socket ?? under).destroy()
    throw error
  }
}

function heard(socket: TLSSocket, listener: (() => void) | undefined): TLSSocket {
  if (listener !== undefined) socket.once('secureConnect', listener)
  return socket
}

// Many import the module as a whole.
export * as default from './tls.ts'
