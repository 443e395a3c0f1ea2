import { inflated } from './inflated.ts'
import { wasiFor } from './wasi.ts'

type Pointer = number
/** The engine's own functions, as `tools/tls-engine/engine.c` has them. */
interface Exports extends Record<string, unknown> {
  readonly memory: WebAssembly.Memory
  _initialize(): void
  memory_take(length: number): Pointer
  memory_give(at: Pointer): void
  version(): Pointer
  error_take(into: Pointer, length: number): number
  context_new(least: number, most: number): Pointer
  context_free(context: Pointer): void
  context_ciphers(context: Pointer, list: Pointer): number
  context_suites(context: Pointer, list: Pointer): number
  context_groups(context: Pointer, list: Pointer): number
  context_signatures(context: Pointer, list: Pointer): number
  context_partial(context: Pointer): number
  context_trust(context: Pointer, other: Pointer): void
  context_root(context: Pointer, der: Pointer, length: number): number
  context_roots(context: Pointer, pem: Pointer, length: number): number
  context_revoked(context: Pointer, pem: Pointer, length: number): number
  context_identity(context: Pointer, pem: Pointer, length: number, key: Pointer, keyLength: number, phrase: Pointer): number
  connection_new(context: Pointer, serverName: Pointer, peer: Pointer, verify: number, alpn: Pointer, alpnLength: number): Pointer
  connection_free(connection: Pointer): void
  connection_feed(connection: Pointer, bytes: Pointer, length: number): number
  connection_waiting(connection: Pointer): number
  connection_drain(connection: Pointer, into: Pointer, length: number): number
  connection_handshake(connection: Pointer): number
  connection_read(connection: Pointer, into: Pointer, length: number): number
  connection_write(connection: Pointer, bytes: Pointer, length: number): number
  connection_end(connection: Pointer): void
  connection_verdict(connection: Pointer): number
  verdict_text(verdict: number): Pointer
  connection_protocol(connection: Pointer): Pointer
  connection_cipher(connection: Pointer): Pointer
  connection_cipher_standard(connection: Pointer): Pointer
  connection_alpn(connection: Pointer, into: Pointer, length: number): number
  connection_export(connection: Pointer, into: Pointer, length: number, label: Pointer, labelLength: number, of: Pointer, ofLength: number, has: number): number
  connection_fragment(connection: Pointer, most: number): number
  connection_finished(connection: Pointer, peer: number, into: Pointer, length: number): number
  connection_certificate(connection: Pointer, index: number, at: Pointer): number
}

/** Bytes that fit into the engine's scratch space at once. */
export const scratchBytes = 65_536

/** OpenSSL's TLS client in WebAssembly with a space to hand bytes over by; every call is synchronous. */
export interface Engine {
  readonly call: Exports
  readonly scratch: Pointer
  /** Writes bytes into the scratch space; at most `scratchBytes` of them. */
  put(bytes: Uint8Array): Pointer
  /** A copy of what stands at a place. */
  take(at: Pointer, length: number): Uint8Array<ArrayBuffer>
  /** The text at a place, up to its final zero; nothing at the null pointer. */
  text(at: Pointer): string
  /** Runs with texts and bytes laid out in memory, each with a final zero; `undefined` is the null pointer. */
  lend<T>(values: readonly (string | Uint8Array | undefined)[], run: (...at: Pointer[]) => T): T
  /** Gives something back; one that broke off has nothing to be given back to. */
  give(free: () => void): void
  /** What the engine says went wrong since it was last asked. */
  failure(): { readonly reason: string; readonly message: string } | undefined
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

async function start(): Promise<Engine> {
  const { module } = await import('./engine-module.ts')
  const instance = await WebAssembly.instantiate(await WebAssembly.compile(await inflated(module)), {
    wasi_snapshot_preview1: wasiFor(() => call.memory),
  })
  const call = guarded(instance.exports) as unknown as Exports
  call._initialize()
  const scratch = call.memory_take(scratchBytes)
  const bytes = (): Uint8Array<ArrayBuffer> => new Uint8Array(call.memory.buffer)
  const text = (at: Pointer): string => (at === 0 ? '' : decoder.decode(bytes().slice(at, bytes().indexOf(0, at))))
  return {
    call,
    scratch,
    text,
    put: of => {
      bytes().set(of, scratch)
      return scratch
    },
    take: (at, length) => bytes().slice(at, at + length),
    lend: (values, run) => {
      const at = values.map(value => {
        if (value === undefined) return 0
        const of = typeof value === 'string' ? encoder.encode(value) : value
        const place = call.memory_take(of.byteLength + 1)
        bytes().set(of, place)
        bytes()[place + of.byteLength] = 0
        return place
      })
      try {
        return run(...at)
      } finally {
        // Keys and pass phrases among them are not left behind.
        for (const [index, place] of at.entries()) {
          const value = values[index]
          if (value !== undefined) bytes().fill(0, place, place + (typeof value === 'string' ? encoder.encode(value) : value).byteLength)
          call.memory_give(place)
        }
      }
    },
    give: free => {
      try {
        free()
      } catch (error) {
        if (!(error instanceof WebAssembly.RuntimeError)) throw error
      }
    },
    failure: () => {
      const length = call.error_take(scratch, 1024)
      if (length === 0) return undefined
      const reason = text(scratch)
      return { reason, message: text(scratch + encoder.encode(reason).byteLength + 1) }
    },
  }
}

/** The engine's functions, until one of them breaks off: what was left half-done in its memory is not gone on with. */
function guarded(exports: WebAssembly.Exports): WebAssembly.Exports {
  let broken: Error | undefined
  const functions = Object.entries(exports).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value] as const
    const guard = (...of: unknown[]): unknown => {
      if (broken !== undefined) throw broken
      try {
        const answer = (value as (...of: unknown[]) => unknown)(...of)
        if (name === 'memory_take' && answer === 0) throw new WebAssembly.RuntimeError('the TLS engine has no memory left')
        return answer
      } catch (error) {
        broken = error as Error
        started = undefined
        throw error
      }
    }
    return [name, guard] as const
  })
  return Object.fromEntries(functions) as WebAssembly.Exports
}

let started: Promise<Engine> | undefined
/** The engine of this realm, loaded when it is first asked for. */
export function engine(): Promise<Engine> {
  started ??= start().catch((error: unknown) => {
    started = undefined
    throw error
  })
  return started
}
