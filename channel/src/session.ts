import type { Members } from '@deputy/contract/shape'
import type { Clock } from './clock.ts'
import { ChannelError, decodeError, encodeError, isDeclared, unavailable } from './errors.ts'
import { weigh, type Limits } from './limits.ts'
import type { Fork, LinkEnd, LinkEndReason, Stats } from './link.ts'
import { decodeArgs, encodeArgs, release, tie, type CallCodec } from './marshal/call.ts'
import { compile } from './marshal/compile.ts'
import type { Anchor, Bound, Context, Export, Import, Reference } from './marshal/context.ts'
import { FORK, forkCall } from './marshal/fork.ts'
import { present, released, serve } from './marshal/members.ts'
import { anchorOf } from './marshal/reference.ts'
import { PendingCalls } from './pending.ts'
import { References } from './references.ts'
import type { Transport } from './transport.ts'
import { ABORT, BYE, CALL, DROP, NOTIFY, PING, PONG, RELEASE, RESULT, SETTLE, THROWN, WELCOME, WIRE, type Message } from './wire.ts'

interface SessionOptions {
  readonly transport: Transport
  readonly offers: { readonly members: Members; readonly value: object } | undefined
  readonly wants: Members
  readonly fork: ((port: MessagePort) => { close(): void; readonly closed: Promise<unknown> }) | undefined
  readonly limits: Limits
  readonly clock: Clock
  readonly fault: (error: unknown) => void
}

/** One call of the peer while it is served. */
interface Job {
  readonly id: number
  readonly bound: Bound
  readonly taken: readonly Reference[]
  /** The subscription this call ends. */
  readonly ends: Export | undefined
  /** Answered already, or nobody is left to answer. */
  over: boolean
}

/** A breach of the wire by the peer: ends the link. */
class Breach extends Error {}

/** The working of a link: writes and reads messages, keeps calls and references. */
export class Session implements Context {
  readonly limits: Limits
  transfer: Transferable[] = []
  minted: Reference[] = []
  taken: Reference[] = []
  readonly closed: Promise<LinkEnd>
  readonly remote: Promise<unknown>
  readonly #options: SessionOptions
  readonly #references: References
  readonly #pending: PendingCalls
  readonly #jobs = new Map<number, Job>()
  /** Unsubscribe functions given out: run when the peer lets go or goes. */
  readonly #subscriptions = new Set<Export>()
  /** Unsubscribe functions received: kept, since a dropped one must not end its subscription. */
  readonly #kept = new Map<Import, Anchor>()
  readonly #root: Anchor
  #served = new Map<string, Bound>()
  #lastJob = 0
  #forks = 0
  #mayFork = false
  #welcomed = false
  #heard = false
  #over = false
  #resolveClosed!: (end: LinkEnd) => void
  #resolveRemote!: (tree: unknown) => void
  #rejectRemote!: (error: Error) => void

  constructor(options: SessionOptions) {
    this.#options = options
    this.limits = options.limits
    this.#references = new References(options.limits, id => this.#tell([RELEASE, id]))
    this.#pending = new PendingCalls(options.clock, id => this.#tell([DROP, id]))
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
    const { transport, offers, fork } = this.#options
    this.send(() => {
      const tree = offers === undefined ? undefined : serve(offers.members, offers.value, compile, this)
      if (tree !== undefined) this.#served = tree.bound
      if (fork !== undefined) this.#served.set(FORK, { codec: forkCall, run: () => this.#serveFork(fork) })
      return [WELCOME, WIRE, [[...this.#served.keys(), ...(tree?.manifest[0] ?? [])], tree?.manifest[1] ?? []]]
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
    this.#tell([PING])
  }

  heard(): boolean {
    const heard = this.#heard
    this.#heard = false
    return heard
  }

  stats(): Stats {
    return { pending: this.#pending.size, serving: this.#jobs.size, ...this.#references.counts }
  }

  busy(): boolean {
    const { pending, serving, given, taken, streams } = this.stats()
    return pending + serving + given + taken + streams > 0
  }

  fork(): Promise<Fork> {
    if (!this.#mayFork) return Promise.reject(unavailable())
    return this.invoke(this.#root, FORK, forkCall, []) as Promise<Fork>
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
        this.minted = []
        const message = [CALL, id, to.id, member, encodeArgs(codec, args, this)]
        this.#options.transport.post(message, this.transfer)
        this.#pending.add(id, { codec, anchor, minted: this.minted, resolve, reject, expires: Infinity, dropped: false })
      } catch (error) {
        // The number is not used up on the wire, but gaps in the numbers are allowed.
        for (const reference of this.minted) reference.discard()
        reject(error)
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
    const { minted } = this
    try {
      this.#options.transport.post(value, transfer)
    } catch (error) {
      for (const reference of minted) reference.discard()
      throw error
    }
  }

  compose(build: () => unknown): { value: unknown; transfer: Transferable[] } {
    this.transfer = []
    this.minted = []
    try {
      return { value: build(), transfer: this.transfer }
    } catch (error) {
      for (const reference of this.minted) reference.discard()
      throw error
    }
  }

  give(kind: Export['kind'], find?: Export['find'], onDrop?: () => void): Export {
    const guarded = onDrop === undefined ? undefined : () => this.#guard(onDrop)
    const made = this.#references.give(kind, find, guarded)
    this.minted.push(made)
    return made
  }

  take(kind: 'callback' | 'handle', id: unknown): Anchor {
    const anchor = this.#references.take(kind, id)
    this.taken.push(anchor.to)
    return anchor
  }

  expectSettle(id: unknown, settled: (fulfilled: boolean, wire: unknown) => void): void {
    this.taken.push(this.#references.expect('promise', id, settled))
  }

  expectAbort(id: unknown, abort: () => void): void {
    this.taken.push(this.#references.expect('signal', id, abort))
  }

  openStream(end: (error: Error) => void): Reference {
    const reference = this.#references.openStream(end)
    this.minted.push(reference)
    this.taken.push(reference)
    return reference
  }

  fault(error: unknown): void {
    if (!isDeclared(error)) this.#options.fault(error)
  }

  /** Sends what holds no references; a link that is over says nothing. */
  #tell(message: Message): void {
    if (!this.#over) this.#options.transport.post(message, [])
  }

  #receive(message: unknown): void {
    if (this.#over) return
    this.#heard = true
    this.taken = []
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
        return this.#serve(message)
      case NOTIFY:
        return this.#hear(message)
      case RESULT:
      case THROWN:
        return this.#answered(message)
      case DROP: {
        const job = this.#jobs.get(id as number)
        if (job === undefined) return this.#expectNumber(id, this.#lastJob)
        job.over = true
        this.#jobs.delete(job.id)
        for (const reference of job.taken) reference.discard()
        return this.#tell([THROWN, job.id, encodeError(new ChannelError('timeout', 'no answer in time'))])
      }
      case RELEASE: {
        const given = this.#references.given.get(id as number)
        if (given === undefined) return this.#expectNumber(id, this.#references.last)
        this.#unsubscribe(given)
        return given.drop()
      }
      case SETTLE:
        this.#weigh(message)
        return this.#references.arrive('promise', id, message[2] === true, message[3])
      case ABORT:
        return this.#references.arrive('signal', id, true, undefined)
      case PING:
        return this.#tell([PONG])
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
    this.#weigh(manifest)
    const tree = present(this.#options.wants, manifest, this.#root, compile, this, '')
    this.#mayFork = ((manifest as unknown[])[0] as unknown[]).includes(FORK)
    this.#resolveRemote(tree)
  }

  #serve([, id, reference, member, wire]: Message): void {
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= this.#lastJob || typeof member !== 'string') throw new Breach()
    this.#lastJob = id
    const target = reference === 0 ? undefined : this.#references.given.get(reference as number)
    if (reference !== 0 && target === undefined) this.#expectNumber(reference, this.#references.last)
    const bound = reference === 0 ? this.#served.get(member) : target?.find(member)
    if (bound === undefined) return this.#throw(id, reference === 0 || target !== undefined ? new TypeError('no such member is served') : unavailable())
    if (this.#jobs.size >= this.limits.calls) return this.#throw(id, new ChannelError('limit', 'too many calls are open on this link'))
    let args: unknown[]
    try {
      this.#weigh(wire)
      args = decodeArgs(bound.codec, wire, this)
    } catch (error) {
      for (const taken of this.taken) taken.discard()
      return this.#throw(id, error)
    }
    const job: Job = { id, bound, taken: this.taken, ends: target !== undefined && this.#subscriptions.has(target) ? target : undefined, over: false }
    this.#jobs.set(id, job)
    this.#run(job, args)
  }

  #run(job: Job, args: unknown[]): void {
    let value: unknown
    try {
      value = job.bound.run(...args)
    } catch (error) {
      return this.#fail(job, error)
    }
    if (!(value instanceof Promise)) return this.#finish(job, value)
    value.then(
      result => this.#finish(job, result),
      (error: unknown) => this.#fail(job, error),
    )
  }

  #finish(job: Job, value: unknown): void {
    const { codec } = job.bound
    if (job.over) return this.#discard(codec, value)
    try {
      this.send(() => [RESULT, job.id, codec.result.encode(value, this, 'result')])
    } catch (error) {
      this.#discard(codec, value)
      return this.#fail(job, error)
    }
    this.#jobs.delete(job.id)
    const { minted } = this
    tie(codec, job.taken, minted)
    if (codec.subscribes) for (const made of minted) if (made.kind === 'callback') this.#subscriptions.add(made as Export)
    this.#close(job)
  }

  #fail(job: Job, error: unknown): void {
    if (job.over) return
    this.#jobs.delete(job.id)
    release(job.taken)
    this.#throw(job.id, error)
    this.#close(job)
  }

  /** The call that ended a subscription ends its references too, whatever came of it. */
  #close({ ends }: Job): void {
    if (ends === undefined) return
    this.#subscriptions.delete(ends)
    ends.drop()
  }

  /** A result that reaches nobody: its subscription is ended, its handle let go. */
  #discard(codec: CallCodec, value: unknown): void {
    if (codec.subscribes && typeof value === 'function') this.#guard(value as () => unknown)
    else if (typeof value === 'object' && value !== null) {
      const letGo = (value as { [released]?: () => unknown })[released]
      if (letGo !== undefined) this.#guard(() => letGo.call(value))
    }
  }

  #throw(id: number, error: unknown): void {
    this.fault(error)
    this.#tell([THROWN, id, encodeError(error)])
  }

  #hear([, reference, wire]: Message): void {
    const bound = this.#references.given.get(reference as number)?.find('')
    // A listener that was let go while this was on its way.
    if (bound === undefined) return this.#expectNumber(reference, this.#references.last)
    let args: unknown[]
    try {
      this.#weigh(wire)
      args = decodeArgs(bound.codec, wire, this)
    } catch (error) {
      for (const taken of this.taken) taken.discard()
      return this.#options.fault(error)
    }
    this.#guard(() => bound.run(...args))
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
      this.#weigh(wire)
      value = codec.result.decode(wire, this, 'result')
    } catch (error) {
      for (const reference of [...this.taken, ...minted]) reference.discard()
      return call.reject(error)
    }
    tie(codec, minted, this.taken)
    if (call.dropped) {
      for (const reference of this.taken) reference.discard()
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

  #unsubscribe(given: Export): void {
    const run = this.#subscriptions.delete(given) ? given.find('')?.run : undefined
    if (run !== undefined) this.#guard(run)
  }

  /** Runs what belongs to others, whose failure is no failure of the link. */
  #guard(run: () => unknown): void {
    try {
      const value = run()
      if (value instanceof Promise) value.catch((error: unknown) => this.#options.fault(error))
    } catch (error) {
      this.#options.fault(error)
    }
  }

  #serveFork(fork: (port: MessagePort) => { close(): void; readonly closed: Promise<unknown> }): { port: MessagePort; end: () => void } {
    if (this.#forks >= this.limits.forks) throw new ChannelError('limit', 'too many links are forked from this one')
    const { port1, port2 } = new MessageChannel()
    const link = fork(port1)
    this.#forks++
    void Promise.race([link.closed, this.closed]).then(() => {
      this.#forks--
      link.close()
    })
    return { port: port2, end: () => link.close() }
  }

  #weigh(wire: unknown): void {
    weigh(wire, this.limits)
  }

  /** A number that was in use once may still be on its way; one that never was is a breach. */
  #expectNumber(id: unknown, last: number): void {
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 1 || id > last) throw new Breach()
  }

  #end(reason: LinkEndReason): void {
    if (this.#over) return
    if (reason !== 'bye') this.#tell([BYE, reason === 'protocol' || undefined])
    this.#over = true
    const gone = unavailable()
    this.#rejectRemote(gone)
    for (const job of this.#jobs.values()) job.over = true
    this.#jobs.clear()
    for (const to of this.#kept.keys()) to.spent ??= Promise.resolve()
    this.#kept.clear()
    this.#pending.end(gone)
    for (const given of [...this.#subscriptions]) this.#unsubscribe(given)
    this.#references.end()
    this.#options.transport.close()
    this.#resolveClosed({ reason })
  }
}

const ignore = () => {}
