import { Buffer } from 'buffer'
import type { TcpSocketResult } from '@deputy/contract/webvpn'
import type { Duplex } from 'readable-stream'
import { isIP } from '../node/address.ts'
import { mustBeNumber, mustBeString, nodeError, unsupported, wrongType } from '../node/errors.ts'
import { held, Socket } from '../node/socket.ts'
import { nextTick } from '../node/ticks.ts'
import type { PeerCertificate } from './certificate.ts'
import { Connection } from './connection.ts'
import { engine, type Engine } from './engine.ts'
import { engineError, verdictError } from './failures.ts'
import { checkServerIdentity } from './identity.ts'
import { protocolsOf, type TlsConnectOptions, type TlsOptions } from './options.ts'
import { plainOver } from './plain.ts'
import { SecureContext } from './secure-context.ts'
import { isNameVerdict } from './verdicts.ts'

/** A stream, with as much of a socket as it has. */
type Under = Duplex & { [K in keyof Socket]?: Socket[K] | undefined }
const nobody = { localAddress: '', localFamily: 'IPv4', localPort: 0, remoteAddress: '', remoteFamily: 'IPv4', remotePort: 0 } as const

/** A connection secured by TLS that ends in the page, in the shape of Node's `tls.TLSSocket`: what carries it sees ciphertext alone. */
export class TLSSocket extends Socket {
  readonly encrypted = true
  secureConnecting = true
  /** Whether the chain holds and the certificate is of the server that was asked for. */
  authorized = false
  /** Why it is not authorized: the code. */
  authorizationError: string | null = null
  /** The protocol chosen, `false` where none was. */
  alpnProtocol: string | false | null = null
  servername: string | false | null = null
  readonly #under: Under
  readonly #options: TlsConnectOptions
  readonly #host: string
  #connection: Connection | undefined
  #engine: Engine | undefined
  #chain: PeerCertificate[] | undefined

  constructor(socket: Duplex, options: TlsOptions = {}) {
    if (options.isServer === true) throw unsupported('listen')
    if (typeof socket?.on !== 'function' || typeof socket.write !== 'function') throw wrongType('socket', 'an instance of stream.Duplex', socket)
    const { highWaterMark, allowHalfOpen = false, signal } = options as TlsConnectOptions
    super({ highWaterMark, allowHalfOpen, signal })
    const { servername, checkServerIdentity: own, secureContext } = options
    if (servername !== undefined && typeof servername !== 'string') throw wrongType('options.servername', 'of type string', servername)
    if (own !== undefined && typeof own !== 'function') throw wrongType('options.checkServerIdentity', 'of type function', own)
    if (secureContext !== undefined && !(secureContext instanceof SecureContext))
      throw nodeError('ERR_TLS_INVALID_CONTEXT', 'context must be a SecureContext', TypeError)
    this.#under = socket as Under
    this.#options = options
    const { host } = options as TlsConnectOptions
    this.#host = servername || host || (socket as Under)._host || 'localhost'
    const protocols = protocolsOf(options.ALPNProtocols)
    this.#carry(secureContext ?? new SecureContext(options), protocols)
  }

  #carry(context: SecureContext, protocols: Uint8Array): void {
    const under = this.#under
    under.pause()
    const plain = plainOver(under, {
      secure: () => this.#secured(),
      refused: () => this.#refusal(),
      failed: error => void this.destroy(error),
    })
    under.on('error', (error: Error) => void this.destroy(error))
    const leave = (): void => void plain.sent.then(() => letGo(under))
    const handle = (): TcpSocketResult => ({
      ...nobody,
      ...ends(under),
      dataReadableStream: plain.readable,
      dataWritableStream: plain.writable,
      destroy: async () => void under.destroy(),
      destroySoon: async () => {
        plain.end()
        letGo(under)
      },
      end: async () => undefined,
      resetAndDestroy: async () => void (under.resetAndDestroy?.() ?? under.destroy()),
      setOption: async ({ noDelay, keepAlive, keepAliveInitialDelay }) => {
        if (noDelay !== undefined) under.setNoDelay?.(noDelay)
        if (keepAlive !== undefined) under.setKeepAlive?.(keepAlive, keepAliveInitialDelay)
      },
    })
    // An end on both sides is the connection's own: it needs nobody to destroy it.
    const take = (): void => this[held]({ handle: handle(), paused: false, gone: () => (this.errored === null ? leave() : void under.destroy(this.errored)) })
    const loaded = engine()
    loaded.catch(() => undefined)
    const begin = async (): Promise<void> => {
      this.#engine = await loaded
      const at = await context.in(this.#engine)
      try {
        if (!this.destroyed) plain.begin(this.#begun(at, this.#engine, protocols))
      } finally {
        if (this.#options.secureContext === undefined) await context.free(this.#engine)
      }
    }
    const start = (): void => void begin().catch((error: unknown) => this.destroy(error as Error))
    if (under.connecting === true) {
      this.connecting = true
      under.once('connect', () => {
        take()
        this.emit('connect')
        this.emit('ready')
        start()
      })
    } else {
      take()
      nextTick(start)
    }
    under.on('lookup', (...of: unknown[]) => this.emit('lookup', ...of))
    under.once('close', () => {
      if (this.connecting) this.destroy()
    })
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // Until it stands there is no handle that would let it go.
    if (this.pending) this.#under.destroy()
    super._destroy(error, done)
  }

  #begun(context: number, loaded: Engine, protocols: Uint8Array): Connection {
    const { rejectUnauthorized, checkServerIdentity: own, servername, host } = this.#options
    const name = servername || host || this.#under._host
    this.servername = name !== undefined && isIP(name) === 0 ? name.replace(/\.$/, '') : false
    const isStrict = rejectUnauthorized !== false
    this.#connection = new Connection(loaded, context, {
      serverName: this.servername || undefined,
      peer: isStrict && own === undefined ? this.#host.replace(/\.$/, '') : undefined,
      isStrict,
      protocols,
    })
    return this.#connection
  }

  /** What was wrong with a handshake that failed. */
  #refusal(): Error {
    const [connection, loaded] = [this.#connection, this.#engine]
    if (connection === undefined || loaded === undefined) return nodeError('ERR_SSL_PROTOCOL_ERROR', 'the handshake failed')
    const failure = engineError(loaded, 'the handshake failed')
    const { verdict } = connection
    if (verdict === 0 || this.#options.rejectUnauthorized === false) return failure
    const [own] = (this.#chain = connection.certificates())
    const fault = isNameVerdict(verdict) && own !== undefined ? checkServerIdentity(this.#host, own) : undefined
    return this.#judged(fault ?? verdictError(loaded, verdict))
  }

  #judged(fault: Error): Error {
    this.authorized = false
    this.authorizationError = (fault as Partial<NodeJS.ErrnoException>).code ?? fault.message
    return fault
  }

  #secured(): void {
    const [connection, loaded] = [this.#connection, this.#engine]
    if (connection === undefined || loaded === undefined) return
    const { verdict } = connection
    this.alpnProtocol = connection.chosen
    this.#chain = connection.certificates()
    const check = this.#options.checkServerIdentity ?? checkServerIdentity
    const fault = verdict === 0 ? check(this.#host, this.getPeerCertificate(true) as PeerCertificate) : verdictError(loaded, verdict)
    if (fault !== undefined && fault !== null) {
      this.#judged(fault)
      if (this.#options.rejectUnauthorized !== false) throw fault
    } else this.authorized = true
    this.secureConnecting = false
    this.emit('secureConnect')
    this.emit('secure')
  }

  /** The peer's certificate, with those above it as `issuerCertificate` where details are asked for; empty without one. */
  getPeerCertificate(isDetailed = false): PeerCertificate | Record<string, never> | null {
    if (this.destroyed) return null
    const chain = (this.#chain ?? []).map(one => ({ ...one }))
    if (isDetailed) for (const [index, one] of chain.entries()) one.issuerCertificate = chain[index + 1] ?? one
    return chain[0] ?? {}
  }
  getProtocol(): string | null {
    return this.#connection === undefined || this.secureConnecting || this.destroyed ? null : this.#connection.protocol
  }
  getCipher(): { name: string; standardName: string; version: string } | null | undefined {
    if (this.destroyed) return null
    return this.secureConnecting ? undefined : this.#connection?.cipher
  }
  getFinished(): Buffer | undefined {
    return this.#said(false)
  }
  getPeerFinished(): Buffer | undefined {
    return this.#said(true)
  }
  #said(isPeers: boolean): Buffer | undefined {
    const bytes = this.#connection?.finished(isPeers)
    return bytes === undefined || bytes.byteLength === 0 ? undefined : Buffer.from(bytes.buffer)
  }
  /** Sends no records with more than these bytes of plain text: 512 to 16,384. Answers whether it can be. */
  setMaxSendFragment(most: number): boolean {
    return this.#connection?.fragment(most) ?? false
  }
  /** Nothing to do: handshakes are made once. */
  disableRenegotiation(): void {}
  /** Key material for another use (RFC 5705). */
  exportKeyingMaterial(length: number, label: string, context?: Uint8Array): Buffer {
    mustBeNumber('length', length, 1, 2 ** 32 - 1)
    mustBeString('label', label)
    if (context !== undefined && !ArrayBuffer.isView(context)) throw wrongType('context', 'an instance of Buffer, TypedArray, or DataView', context)
    if (this.#connection === undefined || this.secureConnecting) throw nodeError('ERR_TLS_INVALID_STATE', 'TLS socket connection must be securely established')
    return Buffer.from(this.#connection.material(length, label, context).buffer)
  }
  /** Sessions are not resumed: every connection makes its own handshake. */
  getSession(): undefined {
    return undefined
  }
  isSessionReused(): boolean {
    return false
  }
}

const ends = (under: Under): Partial<TcpSocketResult> =>
  Object.fromEntries(
    (['localAddress', 'localFamily', 'localPort', 'remoteAddress', 'remoteFamily', 'remotePort'] as const).flatMap(name => {
      const value = under[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

function letGo(under: Under): void {
  if (under.destroySoon !== undefined) under.destroySoon()
  else if (under.writableFinished) under.destroy()
  else under.end(() => under.destroy())
}
