import type { Shape, ShapeBody } from '@deputy/contract/shape'
import type { Limits } from '../limits.ts'
import type { References } from '../references.ts'
import type { Message } from '../wire.ts'
import type { CallCodec } from './call.ts'

/** Something open on a link that one side holds for the other. */
export interface Reference {
  readonly kind: 'callback' | 'handle' | 'promise' | 'signal' | 'stream'
  /** What is let go together with this one; see `Scope`. */
  scope: Scope | undefined
  /** Forgets it on this side. Harmless when done twice. */
  drop(): void
  /** Gives it up before its time: the peer is told, streams fail, promises too, signals abort. */
  discard(): void
}

/** References that live as long as any of a group of others, e.g. a listener as long as its unsubscribe function. */
export interface Scope {
  left: number
  readonly held: readonly Reference[]
}

/** A served function with the codec of its call. */
export interface Bound {
  readonly codec: CallCodec
  readonly run: (...args: unknown[]) => unknown
}

/** A reference this side gave out. */
export interface Export extends Reference {
  readonly id: number
  /** The function behind a member path; a callback's is the empty path. */
  readonly find: (member: string) => Bound | undefined
}

/** A reference this side received; calls over it reject once it is no longer `live`. */
export interface Import extends Reference {
  readonly id: number
  live: boolean
  /** The answer of the function that ended a subscription; it is asked once only. */
  spent: Promise<unknown> | undefined
}

/** What a remote function keeps alive: when the last function of a reference is collected, so is this, and the reference is released. */
export interface Anchor {
  readonly to: Import
}

/** What codecs need of the link whose message they write or read. All of it is synchronous with that one message. */
export interface Context {
  readonly limits: Limits
  /** What the message being written moves. */
  transfer: Transferable[]
  readonly references: References

  invoke(anchor: Anchor, member: string, codec: CallCodec, args: unknown[]): Promise<unknown>
  /** Calls a callback that answers nothing. */
  notify(anchor: Anchor, codec: CallCodec, args: unknown[]): void
  /** Sends one message of its own; what it minted is dropped again when it cannot be built or sent, and the error thrown. */
  send(build: () => Message): void
  /** Builds a value that is posted elsewhere than on the link, with what it moves. */
  compose(build: () => unknown): { value: unknown; transfer: Transferable[] }
  /** Runs what belongs to others, whose failure is no failure of the link. */
  guard(run: () => unknown): void
  /** Told of an error that does not cross. */
  fault(error: unknown): void
}

/** How values of one shape are written and read. `path` names the place for errors. */
export interface Codec {
  encode(value: unknown, context: Context, path: string): unknown
  decode(wire: unknown, context: Context, path: string): unknown
}

/** Finds the codec of a shape. */
export type Compile = (shape: Shape) => Codec

/** How codecs of some kinds of shapes are made. */
export type Kinds = { readonly [K in ShapeBody['kind']]?: (body: ShapeBody, compile: Compile) => Codec }
