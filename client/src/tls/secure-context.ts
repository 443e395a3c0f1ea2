import { nodeError, wrongType } from '../node/errors.ts'
import type { Engine } from './engine.ts'
import { engineError } from './failures.ts'
import { inflated } from './inflated.ts'

/** Text of PEM, or its bytes. */
export type Pem = string | Uint8Array
/** A private key, with its pass phrase where it has one. */
export type KeyPem = Pem | { readonly pem: Pem; readonly passphrase?: string }
export type SecureVersion = 'TLSv1.2' | 'TLSv1.3'

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
  readonly secureProtocol?: string | undefined
}

const versions: Readonly<Record<string, number>> = { 'TLSv1.2': 0x0303, 'TLSv1.3': 0x0304 }
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
/** What is offered: authenticated encryption with forward secrecy and nothing else. */
export const DEFAULT_CIPHERS = `${suites}:${ciphers}`

const listed = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  value === undefined ? [] : Array.isArray(value) ? (value as readonly T[]) : [value as T]
const bytesOf = (pem: Pem): Uint8Array => (typeof pem === 'string' ? new TextEncoder().encode(pem) : pem)

/** What connections share: trust, an identity, versions and suites. It is built once, when it is first used. */
export class SecureContext {
  readonly #options: SecureContextOptions
  readonly #made = new WeakMap<Engine, Promise<number>>()
  /** Node's place of the native context; here it is the thing itself. */
  readonly context: this = this

  constructor(options: SecureContextOptions = {}) {
    const { pfx, secureProtocol, minVersion, maxVersion, ciphers: asked } = options
    if (pfx !== undefined) throw nodeError('ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'PKCS #12 is not offered: give cert and key as PEM')
    if (secureProtocol !== undefined) throw nodeError('ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'secureProtocol is not offered: give minVersion and maxVersion')
    if (asked !== undefined && typeof asked !== 'string') throw wrongType('options.ciphers', 'of type string', asked)
    for (const [which, version] of Object.entries({ minimum: minVersion, maximum: maxVersion })) {
      if (version !== undefined && !(version in versions)) {
        throw nodeError('ERR_TLS_INVALID_PROTOCOL_VERSION', `${JSON.stringify(version)} is not a valid ${which} TLS protocol version`, TypeError)
      }
    }
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
    const { ca, cert, key, crl, ciphers: asked = DEFAULT_CIPHERS, ecdhCurve, sigalgs, minVersion, maxVersion, passphrase } = this.#options
    const context = call.context_new(versions[minVersion ?? DEFAULT_MIN_VERSION] ?? 0, versions[maxVersion ?? DEFAULT_MAX_VERSION] ?? 0)
    const must = (done: number | boolean, what: string): void => {
      if (done === false || (typeof done === 'number' && done <= 0)) throw engineError(engine, what)
    }
    must(context, 'these versions are not offered')
    try {
      const names = asked.split(/[:, ]+/).filter(name => name !== '')
      const newer = names.filter(name => name.startsWith('TLS_'))
      const older = names.filter(name => !name.startsWith('TLS_'))
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
      if (ca === undefined || ca === null) call.context_trust(context, await shippedRoots(engine))
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
