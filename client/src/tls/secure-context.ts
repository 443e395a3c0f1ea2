import { mustBeString, nodeError, wrongType } from '../node/errors.ts'
import type { Engine } from './engine.ts'
import { engineError } from './failures.ts'
import { inflated } from './inflated.ts'

/** Text of PEM, or its bytes. */
export type Pem = string | Uint8Array
/** A private key, with its pass phrase where it has one. */
export type KeyPem = Pem | { readonly pem: Pem; readonly passphrase?: string }
/** What is below 1.2 is no more than a bound: it is not talked. */
export type SecureVersion = 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'

/** What is trusted, and how it is talked. */
export interface SecureContextOptions {
  /** Roots in place of the shipped ones. */
  readonly ca?: Pem | readonly Pem[] | undefined
  /** The client's own certificates, for servers that ask for one. */
  readonly cert?: Pem | readonly Pem[] | undefined
  readonly key?: KeyPem | readonly KeyPem[] | undefined
  readonly passphrase?: string | undefined
  readonly crl?: Pem | readonly Pem[] | undefined
  /** Suites in OpenSSL's names, with colons between; those of TLS 1.3 begin with `TLS_`. */
  readonly ciphers?: string | undefined
  readonly ecdhCurve?: string | undefined
  readonly sigalgs?: string | undefined
  readonly minVersion?: SecureVersion | undefined
  readonly maxVersion?: SecureVersion | undefined
  /** Whether any certificate of `ca` ends a chain, roots or not. */
  readonly allowPartialTrustChain?: boolean | undefined
  readonly pfx?: unknown
  /** A range of versions by OpenSSL's old names, such as `TLS_method`. */
  readonly secureProtocol?: string | undefined
}

const versions: Readonly<Record<SecureVersion, number>> = { TLSv1: 0x0301, 'TLSv1.1': 0x0302, 'TLSv1.2': 0x0303, 'TLSv1.3': 0x0304 }
const leastTalked = versions['TLSv1.2']
const methods: Readonly<Record<string, readonly [least: SecureVersion, most: SecureVersion]>> = {
  TLS: ['TLSv1.2', 'TLSv1.3'],
  SSLv23: ['TLSv1.2', 'TLSv1.2'],
  TLSv1: ['TLSv1', 'TLSv1'],
  TLSv1_1: ['TLSv1.1', 'TLSv1.1'],
  TLSv1_2: ['TLSv1.2', 'TLSv1.2'],
}
export const DEFAULT_MIN_VERSION: SecureVersion = 'TLSv1.2'
export const DEFAULT_MAX_VERSION: SecureVersion = 'TLSv1.3'
// ChaCha20 first: without the processor's help it is both faster than AES and the same whatever the key.
const suites = 'TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256'
const ciphers = [
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
].join(':')
/** The curves are the engine's choice. */
export const DEFAULT_ECDH_CURVE = 'auto'
/** What is offered: authenticated encryption with forward secrecy and nothing else. */
export const DEFAULT_CIPHERS = `${suites}:${ciphers}`

const listed = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  (Array.isArray(value) ? (value as readonly T[]) : [value as T]).filter(one => Boolean(one))
const bytesOf = (pem: Pem): Uint8Array => (typeof pem === 'string' ? new TextEncoder().encode(pem) : pem)

/** The versions asked for. @throws ERR_TLS_INVALID_PROTOCOL_METHOD, ERR_TLS_PROTOCOL_VERSION_CONFLICT */
function rangeOf({ secureProtocol, minVersion, maxVersion }: SecureContextOptions): readonly [least: number, most: number] {
  if (!secureProtocol) return [versions[minVersion || DEFAULT_MIN_VERSION], versions[maxVersion || DEFAULT_MAX_VERSION]]
  mustBeString('options.secureProtocol', secureProtocol)
  const bound = minVersion ?? maxVersion
  if (bound !== undefined) {
    const message = `TLS protocol version ${JSON.stringify(bound)} conflicts with secureProtocol ${JSON.stringify(secureProtocol)}`
    throw nodeError('ERR_TLS_PROTOCOL_VERSION_CONFLICT', message, TypeError)
  }
  const [, name = ''] = /^(\w+?)_(?:client_)?method$/.exec(secureProtocol) ?? []
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined
  if (method === undefined) throw nodeError('ERR_TLS_INVALID_PROTOCOL_METHOD', `Unknown method: ${secureProtocol}`, TypeError)
  return [versions[method[0]], versions[method[1]]]
}

/** @throws ERR_INVALID_ARG_TYPE */
function mustBePem(which: 'ca' | 'cert' | 'key' | 'crl', of: unknown): void {
  for (const one of listed(of)) {
    if (!one || typeof one === 'string' || ArrayBuffer.isView(one)) continue
    if (which === 'key' && Array.isArray(of) && typeof one === 'object' && 'pem' in one) continue
    throw wrongType(`options.${which}`, 'of type string or an instance of Buffer, TypedArray, or DataView', one)
  }
}

/** What connections share: trust, an identity, versions and suites. It is built once, when it is first used. */
export class SecureContext {
  readonly #options: SecureContextOptions
  readonly #range: readonly [least: number, most: number]
  readonly #made = new WeakMap<Engine, Promise<number>>()
  /** Node's place of the native context; here it is the thing itself. */
  readonly context: this = this

  constructor(options: SecureContextOptions = {}) {
    const { pfx, minVersion, maxVersion, ciphers, passphrase, ecdhCurve, sigalgs } = options
    if (pfx !== undefined) throw nodeError('ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'PKCS #12 is not offered: give cert and key as PEM')
    for (const [which, text] of Object.entries({ ciphers, passphrase, ecdhCurve, sigalgs })) {
      if (text !== undefined && text !== null) mustBeString(`options.${which}`, text)
    }
    for (const which of ['ca', 'cert', 'key', 'crl'] as const) mustBePem(which, options[which])
    for (const [which, version] of Object.entries({ minimum: minVersion, maximum: maxVersion })) {
      if (version && !Object.hasOwn(versions, version)) {
        throw nodeError('ERR_TLS_INVALID_PROTOCOL_VERSION', `${JSON.stringify(version)} is not a valid ${which} TLS protocol version`, TypeError)
      }
    }
    this.#range = rangeOf(options)
    this.#options = options
  }

  /** The engine's context of these options. @throws what it refuses of them */
  in(engine: Engine): Promise<number> {
    let made = this.#made.get(engine)
    if (made === undefined) {
      made = this.#make(engine)
      this.#made.set(engine, made)
      made.then(
        context => freed.register(this, { engine, context }, this),
        () => undefined,
      )
    }
    return made
  }

  /** Gives it back: connections keep what they have of it. */
  async free(engine: Engine): Promise<void> {
    const made = this.#made.get(engine)
    this.#made.delete(engine)
    freed.unregister(this)
    if (made === undefined) return
    const context = await made
    engine.give(() => engine.call.context_free(context))
  }

  async #make(engine: Engine): Promise<number> {
    const { call, lend } = engine
    const { ca, cert, key, crl, ecdhCurve, sigalgs, passphrase } = this.#options
    const names = (this.#options.ciphers ?? DEFAULT_CIPHERS).split(/[:, ]+/).filter(name => name !== '' && !name.startsWith('!TLS_'))
    const newer = names.filter(name => name.startsWith('TLS_'))
    const older = names.filter(name => !name.startsWith('TLS_'))
    const [bound, most] = this.#range
    // Who asks for suites of TLS 1.3 alone does not mean another version with others.
    const least = Math.max(leastTalked, bound, newer.length > 0 && older.length === 0 ? versions['TLSv1.3'] : 0)
    if (most < least) throw nodeError('ERR_SSL_NO_PROTOCOLS_AVAILABLE', 'error:0A0000BF:SSL routines::no protocols available')
    const context = call.context_new(least, most)
    const must = (done: number | boolean, what: string): void => {
      if (done === false || (typeof done === 'number' && done <= 0)) throw engineError(engine, what)
    }
    must(context, 'these versions are not offered')
    try {
      if (newer.length > 0)
        must(
          lend([newer.join(':')], list => call.context_suites(context, list)),
          'no such suite',
        )
      if (older.length > 0)
        must(
          lend([older.join(':')], list => call.context_ciphers(context, list)),
          'no such suite',
        )
      if (ecdhCurve !== undefined && ecdhCurve !== 'auto')
        must(
          lend([ecdhCurve], list => call.context_groups(context, list)),
          'no such curve',
        )
      if (sigalgs !== undefined)
        must(
          lend([sigalgs], list => call.context_signatures(context, list)),
          'no such signature',
        )
      if (!ca) call.context_trust(context, await shippedRoots(engine))
      for (const pem of listed(ca).map(bytesOf))
        must(
          lend([pem], at => call.context_roots(context, at, pem.byteLength)),
          'ca has no certificate',
        )
      if (this.#options.allowPartialTrustChain === true) must(call.context_partial(context), 'partial chains')
      for (const pem of listed(crl).map(bytesOf))
        must(
          lend([pem], at => call.context_revoked(context, at, pem.byteLength)),
          'crl has no list',
        )
      const keys = listed(key)
      for (const [index, pem] of listed(cert).entries()) {
        const one = keys[index]
        if (one === undefined) throw nodeError('ERR_INVALID_ARG_VALUE', 'every cert needs its key', TypeError)
        const [secret, phrase] = typeof one === 'object' && 'pem' in one ? [one.pem, one.passphrase ?? passphrase] : [one, passphrase]
        const [own, its] = [bytesOf(pem), bytesOf(secret)]
        const done = lend([own, its, phrase], (at, keyAt, phraseAt) => call.context_identity(context, at, own.byteLength, keyAt, its.byteLength, phraseAt))
        must(done, 'the certificate and the key do not go together')
      }
      return context
    } catch (error) {
      call.context_free(context)
      throw error
    }
  }
}

/** Makes a context that many connections use (LIB-13). */
export const createSecureContext = (options?: SecureContextOptions): SecureContext => new SecureContext(options)

const freed = /* @__PURE__ */ new FinalizationRegistry<{ readonly engine: Engine; readonly context: number }>(({ engine, context }) => {
  engine.give(() => engine.call.context_free(context))
})

const roots = /* @__PURE__ */ new WeakMap<Engine, Promise<number>>()
/** A context that trusts the roots shipped with the client: those of Mozilla's programme, as Node has them. */
async function shippedRoots(engine: Engine): Promise<number> {
  const known = roots.get(engine)
  if (known !== undefined) return known
  const made = import('./roots.ts').then(async ({ packed }) => {
    const all = new DataView(await inflated(packed))
    const context = engine.call.context_new(0x0303, 0x0304)
    for (let at = 0; at + 2 <= all.byteLength;) {
      const length = all.getUint16(at)
      engine.call.context_root(context, engine.put(new Uint8Array(all.buffer, at + 2, length)), length)
      at += 2 + length
    }
    engine.failure()
    return context
  })
  roots.set(engine, made)
  made.catch(() => roots.delete(engine))
  return made
}
