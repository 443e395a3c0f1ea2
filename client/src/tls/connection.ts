import { certificateOf, type PeerCertificate } from './certificate.ts'
import { scratchBytes, type Engine } from './engine.ts'
import { engineError } from './failures.ts'

/** How a connection is asked for. */
export interface ConnectionOptions {
  /** What the server is told it is asked for. */
  readonly serverName: string | undefined
  /** The name or address the certificate has to be for; nothing where the caller judges it. */
  readonly peer: string | undefined
  /** Whether a chain that does not hold ends the handshake. */
  readonly isStrict: boolean
  /** Protocols as they go over the wire: each with its length before it. */
  readonly protocols: Uint8Array
}

export type Handshake = 'done' | 'wants' | 'failed'

/** One TLS connection within the engine: bytes in, bytes out. After `free` it does nothing. */
export class Connection {
  readonly #engine: Engine
  #at: number

  constructor(engine: Engine, context: number, { serverName, peer, isStrict, protocols }: ConnectionOptions) {
    this.#engine = engine
    this.#at = engine.lend([serverName, peer, protocols], (name, host, alpn) =>
      engine.call.connection_new(context, name, host, isStrict ? 1 : 0, alpn, protocols.byteLength),
    )
    if (this.#at === 0) throw engineError(engine, 'the connection could not be made')
  }

  get isFree(): boolean {
    return this.#at === 0
  }
  free(): void {
    const at = this.#at
    this.#at = 0
    if (at !== 0) this.#engine.give(() => this.#engine.call.connection_free(at))
  }

  /** Takes what came from the network. */
  feed(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.byteLength && this.#at !== 0; at += scratchBytes) {
      const some = bytes.subarray(at, at + scratchBytes)
      this.#engine.call.connection_feed(this.#at, this.#engine.put(some), some.byteLength)
    }
  }

  /** What has to go to the network. */
  drain(): Uint8Array<ArrayBuffer> {
    const { call, scratch, take } = this.#engine
    const length = this.#at === 0 ? 0 : call.connection_waiting(this.#at)
    if (length <= scratchBytes) return length <= 0 ? new Uint8Array() : take(scratch, call.connection_drain(this.#at, scratch, length))
    const into = call.memory_take(length)
    const bytes = take(into, call.connection_drain(this.#at, into, length))
    call.memory_give(into)
    return bytes
  }

  handshake(): Handshake {
    const done = this.#at === 0 ? -1 : this.#engine.call.connection_handshake(this.#at)
    return done === 1 ? 'done' : done === -1 ? 'wants' : 'failed'
  }

  /** What was decrypted; `null` where nothing more can be for now, `'closed'` after the peer's end. @throws ERR_SSL_… */
  read(): Uint8Array<ArrayBuffer> | null | 'closed' {
    if (this.#at === 0) return 'closed'
    const { call, scratch, take } = this.#engine
    const count = call.connection_read(this.#at, scratch, scratchBytes)
    if (count > 0) return take(scratch, count)
    if (count === -2) throw engineError(this.#engine, 'what came could not be read')
    return count === 0 ? 'closed' : null
  }

  /** Encrypts, from a place on; answers how many bytes it took. @throws ERR_SSL_… */
  write(bytes: Uint8Array): number {
    if (this.#at === 0) return bytes.byteLength
    const { call, put } = this.#engine
    const some = bytes.subarray(0, scratchBytes)
    const count = call.connection_write(this.#at, put(some), some.byteLength)
    if (count === -2) throw engineError(this.#engine, 'what is to be sent could not be encrypted')
    return Math.max(0, count)
  }

  /** Says that nothing more will be sent. */
  end(): void {
    if (this.#at !== 0) this.#engine.call.connection_end(this.#at)
  }

  /** What is wrong with the peer's chain; 0 is nothing. */
  get verdict(): number {
    return this.#at === 0 ? 1 : this.#engine.call.connection_verdict(this.#at)
  }
  get protocol(): string {
    return this.#at === 0 ? '' : this.#engine.text(this.#engine.call.connection_protocol(this.#at))
  }
  get cipher(): { readonly name: string; readonly standardName: string; readonly version: string } {
    const { call, text } = this.#engine
    if (this.#at === 0) return { name: '', standardName: '', version: '' }
    return { name: text(call.connection_cipher(this.#at)), standardName: text(call.connection_cipher_standard(this.#at)), version: this.protocol }
  }
  /** The protocol the server chose of those offered. */
  get chosen(): string | false {
    const { call, scratch, take } = this.#engine
    const length = this.#at === 0 ? 0 : call.connection_alpn(this.#at, scratch, 255)
    return length === 0 ? false : new TextDecoder().decode(take(scratch, length))
  }

  /** Sends no records with more than these bytes of plain text. Answers whether it can be. */
  fragment(most: number): boolean {
    return this.#at !== 0 && this.#engine.call.connection_fragment(this.#at, most) === 1
  }

  /** The peer's chain: its own certificate first. */
  certificates(): PeerCertificate[] {
    const { call, scratch, take } = this.#engine
    const found: PeerCertificate[] = []
    while (this.#at !== 0) {
      const length = call.connection_certificate(this.#at, found.length, scratch)
      if (length === 0) break
      const at = new DataView(call.memory.buffer).getUint32(scratch, true)
      found.push(certificateOf(take(at, length)))
      call.memory_give(at)
    }
    return found
  }

  /** The Finished message of the handshake: the peer's or our own. */
  finished(isPeers: boolean): Uint8Array<ArrayBuffer> {
    const { call, scratch, take } = this.#engine
    return this.#at === 0 ? new Uint8Array() : take(scratch, call.connection_finished(this.#at, isPeers ? 1 : 0, scratch, 64))
  }

  /** Key material for another use (RFC 5705). */
  material(length: number, label: string, context: Uint8Array | undefined): Uint8Array<ArrayBuffer> {
    const { call, lend, take } = this.#engine
    const into = call.memory_take(length)
    const has = context === undefined ? 0 : 1
    const labelBytes = new TextEncoder().encode(label)
    const done = lend([labelBytes, context], (at, of) =>
      this.#at === 0 ? 0 : call.connection_export(this.#at, into, length, at, labelBytes.byteLength, of, context?.byteLength ?? 0, has),
    )
    const bytes = take(into, length)
    call.memory_give(into)
    if (done !== 1) throw engineError(this.#engine, 'no key material')
    return bytes
  }
}
