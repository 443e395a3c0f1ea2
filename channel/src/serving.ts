import { ChannelError, encodeError, unavailable } from './errors.ts'
import { decodeArgs, release, tie, type CallCodec } from './marshal/call.ts'
import type { Bound, Context, Export, Reference } from './marshal/context.ts'
import { released } from './marshal/members.ts'
import type { References } from './references.ts'
import { RESULT, THROWN, type Message } from './wire.ts'

/** A breach of the wire by the peer: ends the link. */
export class Breach extends Error {}

/** What serving needs of the link. */
export interface Host extends Context {
  tell(message: Message): void
  weigh(wire: unknown): void
  report(error: unknown): void
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

/** The calls of the peer, and the subscriptions they made. */
export class Serving {
  readonly #host: Host
  readonly #references: References
  readonly #jobs = new Map<number, Job>()
  /** Unsubscribe functions given out: run when the peer lets go or goes. */
  readonly #subscriptions = new Set<Export>()
  #served: ReadonlyMap<string, Bound> = new Map()
  #lastJob = 0

  constructor(host: Host) {
    this.#host = host
    this.#references = host.references
  }

  get size(): number {
    return this.#jobs.size
  }

  /** Sets the functions of the offered tree, by path. */
  serve(served: ReadonlyMap<string, Bound>): void {
    this.#served = served
  }

  /** The caller waits no longer: its answer is said at once, and what came with it is given up. */
  drop(id: unknown): void {
    const job = this.#jobs.get(id as number)
    if (job === undefined) return expectNumber(id, this.#lastJob)
    job.over = true
    this.#jobs.delete(job.id)
    for (const reference of job.taken) reference.discard()
    this.#throw(job.id, new ChannelError('timeout', 'no answer in time'))
  }

  release(id: unknown): void {
    const given = this.#references.given.get(id as number)
    if (given === undefined) return expectNumber(id, this.#references.last)
    this.#unsubscribe(given)
    given.drop()
  }

  /** Nobody is left to answer; every subscription ends. */
  end(): void {
    for (const job of this.#jobs.values()) job.over = true
    this.#jobs.clear()
    for (const given of [...this.#subscriptions]) this.#unsubscribe(given)
  }

  call([, id, reference, member, wire]: Message): void {
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= this.#lastJob || typeof member !== 'string') throw new Breach()
    this.#lastJob = id
    const target = reference === 0 ? undefined : this.#references.given.get(reference as number)
    if (reference !== 0 && target === undefined) expectNumber(reference, this.#references.last)
    const bound = reference === 0 ? this.#served.get(member) : target?.find(member)
    if (bound === undefined) return this.#throw(id, reference === 0 || target !== undefined ? new TypeError('no such member is served') : unavailable())
    if (this.#jobs.size >= this.#host.limits.calls) return this.#throw(id, new ChannelError('limit', 'too many calls are open on this link'))
    let args: unknown[]
    try {
      this.#host.weigh(wire)
      args = decodeArgs(bound.codec, wire, this.#host)
    } catch (error) {
      for (const taken of this.#references.taken) taken.discard()
      return this.#throw(id, error)
    }
    const job: Job = {
      id,
      bound,
      taken: this.#references.taken,
      ends: target !== undefined && this.#subscriptions.has(target) ? target : undefined,
      over: false,
    }
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
      this.#host.send(() => [RESULT, job.id, codec.result.encode(value, this.#host, 'result')])
    } catch (error) {
      this.#discard(codec, value)
      return this.#fail(job, error)
    }
    this.#jobs.delete(job.id)
    const { minted } = this.#references
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
    if (codec.subscribes && typeof value === 'function') this.#host.guard(value as () => unknown)
    else if (typeof value === 'object' && value !== null) {
      const letGo = (value as { [released]?: () => unknown })[released]
      if (letGo !== undefined) this.#host.guard(() => letGo.call(value))
    }
  }

  #throw(id: number, error: unknown): void {
    this.#host.fault(error)
    this.#host.tell([THROWN, id, encodeError(error)])
  }

  notify([, reference, wire]: Message): void {
    const bound = this.#references.given.get(reference as number)?.find('')
    // A listener that was let go while this was on its way.
    if (bound === undefined) return expectNumber(reference, this.#references.last)
    let args: unknown[]
    try {
      this.#host.weigh(wire)
      args = decodeArgs(bound.codec, wire, this.#host)
    } catch (error) {
      for (const taken of this.#references.taken) taken.discard()
      return this.#host.report(error)
    }
    this.#host.guard(() => bound.run(...args))
  }

  #unsubscribe(given: Export): void {
    const run = this.#subscriptions.delete(given) ? given.find('')?.run : undefined
    if (run !== undefined) this.#host.guard(run)
  }
}

/** A number that was in use once may still be on its way; one that never was is a breach. */
function expectNumber(id: unknown, last: number): void {
  if (typeof id !== 'number' || !Number.isInteger(id) || id < 1 || id > last) throw new Breach()
}
