import type { Duplex } from 'readable-stream'
import { nodeError, wrongType } from '../node/errors.ts'
import { normalizeArgs, type ConnectOptions } from '../node/connect-options.ts'
import type { PeerCertificate } from './certificate.ts'
import type { SecureContext, SecureContextOptions } from './secure-context.ts'

/** How a connection is secured. */
export interface TlsOptions extends SecureContextOptions {
  readonly secureContext?: SecureContext | undefined
  /** The name that the server is told and its certificate has to be for. */
  readonly servername?: string | undefined
  /** `false` goes on with a server that could be anyone; `authorized` tells. */
  readonly rejectUnauthorized?: boolean | undefined
  /** Judges the certificate of a chain that holds, in place of the usual check. Answers the fault. */
  readonly checkServerIdentity?: ((hostname: string, certificate: PeerCertificate) => Error | undefined) | undefined
  /** Protocols to choose of: names, or one buffer of them with their lengths. */
  readonly ALPNProtocols?: readonly (string | Uint8Array)[] | Uint8Array | undefined
  readonly isServer?: boolean | undefined
}
/** Where to connect, or over what, and how it is secured. */
export interface TlsConnectOptions extends ConnectOptions, TlsOptions {
  /** A stream to talk over, such as a socket after STARTTLS. */
  readonly socket?: Duplex | undefined
}
/** The forms of `tls.connect`. */
export type TlsConnectArguments =
  | [options: TlsConnectOptions, listener?: () => void]
  | [port: number | string, options?: TlsConnectOptions, listener?: () => void]
  | [port: number | string, host?: string, options?: TlsConnectOptions, listener?: () => void]

/** Brings the forms into one. */
export function readTls(of: readonly unknown[]): { readonly options: TlsConnectOptions; readonly listener: (() => void) | undefined } {
  const [options, listener] = normalizeArgs<TlsConnectOptions>(of)
  const further = [of[1], of[2]].find((value): value is TlsConnectOptions => typeof value === 'object' && value !== null)
  return { options: { ...options, ...(of[0] === further ? {} : further) }, listener: listener ?? undefined }
}

/** Protocols as they go over the wire. @throws ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE */
export function protocolsOf(protocols: TlsOptions['ALPNProtocols']): Uint8Array {
  if (protocols === undefined) return new Uint8Array()
  if (protocols instanceof Uint8Array) return protocols
  if (!Array.isArray(protocols)) throw wrongType('options.ALPNProtocols', 'an array or a buffer', protocols)
  const names = (protocols as readonly (string | Uint8Array)[]).map(name => (typeof name === 'string' ? new TextEncoder().encode(name) : name))
  const long = names.findIndex(({ byteLength }) => byteLength > 255 || byteLength === 0)
  if (long >= 0) {
    throw nodeError('ERR_OUT_OF_RANGE', `The byte length of the protocol at index ${long} is out of range. It must be >= 1 and <= 255.`, RangeError)
  }
  return Uint8Array.from(names.flatMap(name => [name.byteLength, ...name]))
}
