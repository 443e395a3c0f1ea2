import type { Clock } from './clock.ts'
import { ChannelError } from './errors.ts'
import type { CallCodec } from './marshal/call.ts'
import type { Anchor, Reference } from './marshal/context.ts'

/** One call that waits for its answer. */
export interface Pending {
  readonly codec: CallCodec
  /** Keeps the called reference from being collected, hence released, in mid-call. */
  readonly anchor: Anchor
  /** What went with the arguments. */
  readonly minted: readonly Reference[]
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  expires: number
  /** The caller was told of a timeout; the answer is still owed, since it may bring references to let go. */
  dropped: boolean
}

/** The calls of one side that wait, with their deadlines on one timer. */
export class PendingCalls {
  readonly #calls = new Map<number, Pending>()
  readonly #clock: Clock
  readonly #drop: (id: number) => void
  #last = 0
  #wakes = Infinity
  #sleep: (() => void) | undefined

  /** `drop` tells the peer that an answer is no longer waited for. */
  constructor(clock: Clock, drop: (id: number) => void) {
    this.#clock = clock
    this.#drop = drop
  }

  get size(): number {
    return this.#calls.size
  }

  next(): number {
    return ++this.#last
  }

  add(id: number, call: Pending): void {
    this.#calls.set(id, call)
    if (call.codec.deadline === Infinity) return
    call.expires = this.#clock.now() + call.codec.deadline
    if (call.expires < this.#wakes) this.#wake(call.expires)
  }

  /** Takes the call an answer belongs to; undefined when there is none. */
  take(id: unknown): Pending | undefined {
    const call = this.#calls.get(id as number)
    this.#calls.delete(id as number)
    return call
  }

  /** Ends every call with the error. */
  end(error: Error): void {
    this.#sleep?.()
    const calls = [...this.#calls.values()]
    this.#calls.clear()
    for (const call of calls) call.reject(error)
  }

  #wake(at: number): void {
    this.#sleep?.()
    this.#wakes = at
    this.#sleep = this.#clock.after(Math.max(0, at - this.#clock.now()), () => this.#expire())
  }

  #expire(): void {
    this.#wakes = Infinity
    const now = this.#clock.now()
    let next = Infinity
    for (const [id, call] of this.#calls) {
      if (call.dropped) continue
      if (call.expires > now) {
        next = Math.min(next, call.expires)
        continue
      }
      call.dropped = true
      call.reject(new ChannelError('timeout', 'no answer in time'))
      this.#drop(id)
    }
    if (next < Infinity) this.#wake(next)
  }
}
