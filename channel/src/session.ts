import type { Members } from '@deputy/contract/shape'
import type { Clock } from './clock.ts'
import { decodeError, isDeclared, unavailable } from './errors.ts'
import type { Limits } from './limits.ts'
import type { LinkEnd, LinkEndReason, Stats } from './link.ts'
import { encodeArgs, release, tie, type CallCodec } from './marshal/call.ts'
import { compile } from './marshal/compile.ts'
import type { Anchor, Bound, Context, Import } from './marshal/context.ts'
import { present, serve } from './marshal/members.ts'
import { anchorOf } from './marshal/reference.ts'
import { PendingCalls } from './pending.ts'
import { References } from './references.ts'
import { Breach, Serving } from './serving.ts'
import type { Transport } from './transport.ts'
import { ABORT, BYE, CALL, DROP, NOTIFY, PING, PONG, RELEASE, RESULT, SETTLE, THROWN, WELCOME, WIRE, type Message } from './wire.ts'

interface SessionOptions {
  readonly transport: Transport
  readonly offers: { readonly members: Members; readonly value: object } | undefined
  readonly wants: Members
  /** Adds functions that belong to no tree. */
  readonly extend: ((bound: Map<string, Bound>, closed: Promise<unknown>) => void) | undefined
  readonly limits: Limits
  readonly weigh: (wire: unknown, limits: Limits) => void
  readonly clock: Clock
  readonly fault: (error: unknown) => void
}

/** The working of a link: writes and reads messages, keeps calls and references. */
export class Session implements Context {
  readonly limits: Limits
  transfer: Transferable[] = []
  readonly closed: Promise<LinkEnd>
  readonly remote: Promise<unknown>
  readonly #options: SessionOptions
  readonly references: References
  readonly #pending: PendingCalls
  readonly #serving: Serving
  /** Unsubscribe functions received: kept, since a dropped one must not end its subscription. */
  readonly #kept = new Map<Import, Anchor>()
  readonly #root: Anchor
  #welcomed = false
  #heard = false
  #over = false
  #resolveClosed!: (end: LinkEnd) => void
  #resolveRemote!: (tree: unknown) => void
  #rejectRemote!: (error: Error) => void

  constructor(options: SessionOptions) {
    this.#options = options
    this.limits = options.limits
    this.references = new References(options.limits, id => this.tell([RELEASE, id]))
    this.#serving = new Serving(this)
    this.#pending = new PendingCalls(options.clock, id => this.tell([DROP, id]))
    this.closed = new Promise(resolve => (this.#resolveClosed = resolve))
    this.remote = new Promise((resolve, reject) => {
      this.#resolveRemote = resolve
      this.#rejectRemote = reject
    })
    this.remote.catch(ignore)
    const root: Import = { kind: 'handle', id: 0, live: true, spent: undefined, scope: undefined, drop: ignore, discard: ignore }
    this.#root = { to: root }
  }

  open(): void {
    const { transport, offers, extend } = this.#options
    this.send(() => {
      const { bound, manifest } = serve(offers?.members ?? {}, offers?.value ?? {}, compile, this)
      extend?.(bound, this.closed)
      this.#serving.serve(bound)
      return [WELCOME, WIRE, manifest]
    })
    transport.listen(message => this.#receive(message))
  }

  close(): void {
    this.#end('closed')
  }

  end(reason: 'gone' | 'timeout'): void {
    this.#end(reason)
  }

  ping(): void {
    this.tell([PING])
  }

  heard(): boolean {
    const heard = this.#heard
    this.#heard = false
    return heard
  }

  stats(): Stats {
    return { pending: this.#pending.size, serving: this.#serving.size, ...this.references.counts }
  }

  busy(): boolean {
    return Object.values(this.stats()).some(count => count > 0)
  }

  ask(member: string, codec: CallCodec): Promise<unknown> {
    return this.invoke(this.#root, member, codec, [])
  }

  invoke(anchor: Anchor, member: string, codec: CallCodec, args: unknown[]): Promise<unknown> {
    const { to } = anchor
    if (to.spent !== undefined) return to.spent
    const ends = this.#kept.has(to)
    if (this.#over || !to.live) return Promise.reject(unavailable())
    const answer = new Promise<unknown>((resolve, reject) => {
      const id = this.#pending.next()
      try {
        this.transfer = []
        this.references.minted = []
        const message = [CALL, id, to.id, member, encodeArgs(codec, args, this)]
        this.#options.transport.post(message, this.transfer)
        this.#pending.add(id, { codec, anchor, minted: this.references.minted, resolve, reject, expires: Infinity, dropped: false })
      } catch (error) {
        // The number is not used up on the wire, but gaps in the numbers are allowed.
        for (const reference of this.references.minted) reference.discard()
        reject(error instanceof Error ? error : new TypeError('the call could not be sent'))
      }
    })
    return ends ? this.#spend(to, answer) : answer
  }

  notify(anchor: Anchor, codec: CallCodec, args: unknown[]): void {
    if (this.#over || !anchor.to.live) throw unavailable()
    this.send(() => [NOTIFY, anchor.to.id, encodeArgs(codec, args, this)])
  }

  send(build: () => Message): void {
    if (this.#over) return
    const { value, transfer } = this.compose(build)
    const { minted } = this.references
    try {
      this.#options.transport.post(value, transfer)
    } catch (error) {
      for (const reference of minted) reference.discard()
      throw error
    }
  }

  compose(build: () => unknown): { value: unknown; transfer: Transferable[] } {
    this.transfer = []
    this.references.minted = []
    try {
      return { value: build(), transfer: this.transfer }
    } catch (error) {
      for (const reference of this.references.minted) reference.discard()
      throw error
    }
  }

  fault(error: unknown): void {
    if (!isDeclared(error)) this.report(error)
  }

  /** Tells the owner of an error nobody else will hear of. */
  report(error: unknown): void {
    this.#options.fault(error)
  }

  /** Refuses a message that is too large for this side. */
  weigh(wire: unknown): void {
    this.#options.weigh(wire, this.limits)
  }

  /** Runs what belongs to others, whose failure is no failure of the link. */
  guard(run: () => unknown): void {
    try {
      const value = run()
      if (value instanceof Promise) value.catch((error: unknown) => this.report(error))
    } catch (error) {
      this.report(error)
    }
  }

  /** Sends what holds no references; a link that is over says nothing. */
  tell(message: Message): void {
    if (!this.#over) this.#options.transport.post(message, [])
  }

  #receive(message: unknown): void {
    if (this.#over) return
    this.#heard = true
    this.references.taken = []
    try {
      if (!Array.isArray(message)) throw new Breach()
      this.#dispatch(message)
    } catch (error) {
      // Nothing of ours throws here but over what the peer sent.
      if (!(error instanceof Breach)) this.fault(error)
      this.#end('protocol')
    }
  }

  #dispatch(message: Message): void {
    const [kind, id] = message
    if (this.#welcomed === (kind === WELCOME)) throw new Breach()
    switch (kind) {
      case WELCOME:
        return this.#welcome(message)
      case CALL:
        return this.#serving.call(message)
      case NOTIFY:
        return this.#serving.notify(message)
      case RESULT:
      case THROWN:
        return this.#answered(message)
      case DROP:
        return this.#serving.drop(id)
      case RELEASE:
        return this.#serving.release(id)
      case SETTLE:
        this.weigh(message)
        return this.references.arrive('promise', id, message[2] === true, message[3])
      case ABORT:
        return this.references.arrive('signal', id, true, undefined)
      case PING:
        return this.tell([PONG])
      case PONG:
        return
      case BYE:
        return this.#end(id === true ? 'protocol' : 'bye')
      default:
        throw new Breach()
    }
  }

  #welcome([, wire, manifest]: Message): void {
    if (typeof wire !== 'number' || wire < 1) throw new Breach()
    this.#welcomed = true
    this.weigh(manifest)
    const tree = present(this.#options.wants, manifest, this.#root, compile, this, '')
    this.#resolveRemote(tree)
  }

  #answered([kind, id, wire]: Message): void {
    const call = this.#pending.take(id)
    if (call === undefined) throw new Breach()
    const { codec, minted } = call
    if (kind === THROWN) {
      release(minted)
      return call.reject(decodeError(wire))
    }
    let value: unknown
    try {
      this.weigh(wire)
      value = codec.result.decode(wire, this, 'result')
    } catch (error) {
      for (const reference of [...this.references.taken, ...minted]) reference.discard()
      return call.reject(error)
    }
    tie(codec, minted, this.references.taken)
    if (call.dropped) {
      for (const reference of this.references.taken) reference.discard()
      return
    }
    if (codec.subscribes && typeof value === 'function') {
      const anchor = anchorOf(value)
      if (anchor !== undefined) this.#kept.set(anchor.to, anchor)
    }
    call.resolve(value)
  }

  #spend(to: Import, answer: Promise<unknown>): Promise<unknown> {
    const done = answer.finally(() => {
      this.#kept.delete(to)
      to.drop()
    })
    to.spent = done
    return done
  }

  #end(reason: LinkEndReason): void {
    if (this.#over) return
    if (reason !== 'bye') this.tell([BYE, reason === 'protocol' || undefined])
    this.#over = true
    const gone = unavailable()
    this.#rejectRemote(gone)
    for (const to of this.#kept.keys()) to.spent ??= Promise.resolve()
    this.#kept.clear()
    this.#pending.end(gone)
    this.#serving.end()
    this.references.end()
    this.#options.transport.close()
    this.#resolveClosed({ reason })
  }
}

const ignore = () => {}
