import { ChannelError, unavailable } from './errors.ts'
import type { Limits } from './limits.ts'
import { leave } from './marshal/call.ts'
import type { Anchor, Export, Import, Reference } from './marshal/context.ts'

/** The tables of references of one link. */
export class References {
  readonly given = new Map<number, Export>()
  /** References made by the message being written. */
  minted: Reference[] = []
  /** References that arrived in the message being read. */
  taken: Reference[] = []
  readonly #limits: Limits
  readonly #taken = new Set<Import>()
  readonly #expected = new Map<number, { reference: Reference; arrived: Arrived }>()
  readonly #streams = new Set<Reference>()
  readonly #collected: FinalizationRegistry<Import>
  readonly #release: (id: number) => void
  #last = 0

  /** `release` tells the peer that its reference was let go. */
  constructor(limits: Limits, release: (id: number) => void) {
    this.#limits = limits
    this.#release = release
    this.#collected = new FinalizationRegistry(held => held.discard())
  }

  get counts(): { given: number; taken: number; streams: number } {
    return { given: this.given.size, taken: this.#taken.size + this.#expected.size, streams: this.#streams.size }
  }

  /** The highest number given out. */
  get last(): number {
    return this.#last
  }

  give(kind: Export['kind'], find: Export['find'] = () => undefined, onDrop?: () => void): Export {
    if (this.given.size >= this.#limits.references) throw tooMany('references')
    const id = ++this.#last
    const drop = () => {
      if (!this.given.delete(id)) return
      leave(made.scope)
      onDrop?.()
    }
    const made: Export = { kind, id, find, scope: undefined, drop, discard: drop }
    this.given.set(id, made)
    this.minted.push(made)
    return made
  }

  take(kind: 'callback' | 'handle', id: unknown): Anchor {
    const held: Import = {
      kind,
      id: this.#admit(id),
      live: true,
      spent: undefined,
      scope: undefined,
      drop: () => {
        if (!held.live) return
        held.live = false
        this.#taken.delete(held)
        this.#collected.unregister(held)
        leave(held.scope)
      },
      discard: () => {
        if (!held.live) return
        held.drop()
        this.#release(held.id)
      },
    }
    this.#taken.add(held)
    const anchor: Anchor = { to: held }
    this.#collected.register(anchor, held, held)
    this.taken.push(held)
    return anchor
  }

  /** Waits for a later message of the peer about one of its promises or signals. */
  expect(kind: 'promise' | 'signal', id: unknown, arrived: Arrived): void {
    const key = this.#admit(id)
    if (this.#expected.has(key)) throw new TypeError('the reference is in use')
    const reference: Reference = {
      kind,
      scope: undefined,
      drop: () => {
        if (this.#expected.get(key)?.reference !== reference) return
        this.#expected.delete(key)
        leave(reference.scope)
      },
      discard: () => {
        if (this.#expected.get(key)?.reference !== reference) return
        reference.drop()
        arrived(false, undefined)
      },
    }
    this.#expected.set(key, { reference, arrived })
    this.taken.push(reference)
  }

  /** Hands on what the peer says of its promise or signal; nothing where it is no longer wanted. */
  arrive(kind: 'promise' | 'signal', id: unknown, fulfilled: boolean, wire: unknown): void {
    const expected = this.#expected.get(id as number)
    if (expected?.reference.kind !== kind) return
    expected.reference.drop()
    expected.arrived(fulfilled, wire)
  }

  /** Counts a stream until it is dropped; `end` runs when it is given up, as when the link ends. The opener adds it to the message. */
  openStream(end: (error: Error) => void): Reference {
    if (this.#streams.size >= this.#limits.streams) throw tooMany('streams')
    const reference: Reference = {
      kind: 'stream',
      scope: undefined,
      drop: () => {
        if (this.#streams.delete(reference)) leave(reference.scope)
      },
      discard: () => {
        if (!this.#streams.has(reference)) return
        reference.drop()
        end(unavailable())
      },
    }
    this.#streams.add(reference)
    return reference
  }

  /** Lets everything go: streams and promises fail, signals abort, `released` of served handles runs. */
  end(): void {
    const expected = [...this.#expected.values()].map(({ reference }) => reference)
    for (const reference of [...this.#streams, ...expected]) reference.discard()
    for (const reference of [...this.#taken, ...this.given.values()]) reference.drop()
  }

  #admit(id: unknown): number {
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1) throw new TypeError('expected a reference')
    if (this.#taken.size + this.#expected.size >= this.#limits.references) throw tooMany('references')
    return id
  }
}

type Arrived = (fulfilled: boolean, wire: unknown) => void
const tooMany = (what: string) => new ChannelError('limit', `too many ${what} are open on this link`)
