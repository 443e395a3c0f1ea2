/**
 * The shape language in which the contract is written.
 *
 * A shape is a plain value that says what may stand at one place of a call: data, or a reference (callback, handle,
 * stream, port, signal, promise). Types of both ends, validation and marshalling are all derived from it, so the channel
 * never has to guess from the data what a value is.
 *
 * Every shape carries two types: `Sent`, what the producing side hands over, and `Received`, what the other side gets.
 * They differ only where a function stands, because a call across the boundary always answers a promise.
 */

declare const sent: unique symbol
declare const received: unique symbol

/** Carries what is sent and what is received at a place of the contract: types alone, no value has these members. */
export interface Typed<Sent, Received> {
  readonly [sent]?: Sent
  readonly [received]?: Received
}

/** What the side that produces a value of this shape hands over. */
export type Sent<S> = S extends Typed<infer T, any> ? T : never
/** What the side that receives a value of this shape gets. */
export type Received<S> = S extends Typed<any, infer T> ? T : never

/** A shape of any kind. */
export interface Shape extends Typed<any, any> {
  readonly kind: ShapeBody['kind']
}

/** What a shape consists of, for those who interpret one; see `bodyOf`. */
export type ShapeBody =
  | { readonly kind: 'nothing' | 'boolean' | 'url' | 'port' | 'signal' | 'blob' | 'request' | 'response' | 'byteSource' | 'byteSink' }
  | { readonly kind: 'opaque'; readonly as: Shape | undefined }
  | { readonly kind: 'number'; readonly integer: boolean; readonly nan: boolean; readonly min: number; readonly max: number }
  | { readonly kind: 'string'; readonly min: number; readonly max: number; readonly pattern: RegExp | undefined }
  | { readonly kind: 'oneOf'; readonly values: readonly (string | number | boolean)[]; readonly otherwise: string | undefined }
  | { readonly kind: 'bytes' | 'buffer'; readonly max: number }
  | { readonly kind: 'nullable' | 'optional' | 'promise' | 'stream'; readonly of: Shape }
  | { readonly kind: 'list'; readonly of: Shape; readonly min: number; readonly max: number }
  | { readonly kind: 'dictionary'; readonly of: Shape; readonly max: number }
  | { readonly kind: 'object'; readonly members: Readonly<Record<string, Shape>> }
  | { readonly kind: 'either'; readonly branches: readonly Shape[] }
  | { readonly kind: 'callback'; readonly args: readonly Shape[]; readonly result: Shape }
  | { readonly kind: 'handle'; readonly members: Members }

/** One operation: argument shapes, result shape, and what the wire needs to know of it. */
export interface Call<Args extends readonly Shape[] = readonly Shape[], Result extends Shape = Shape, Since extends number | undefined = number | undefined> {
  readonly kind: 'call'
  readonly args: Args
  readonly result: Result
  /** The refusal codes that can stand in place of the result; empty when the call cannot be refused. */
  readonly codes: readonly string[]
  /** Contract revision since which the member exists; absent means from the start. An older peer does not serve it. */
  readonly since: Since
  /** Milliseconds until an unanswered call ends `timeout`; `Infinity` while a person is being asked. */
  readonly deadline: number | undefined
}

/** The members of a namespace or handle: calls, data members, nested namespaces. */
export interface Members {
  readonly [name: string]: Call | Shape | Members
}

type Awaitable<T> = T | Promise<T>
type OptionalKeys<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T]
type Flat<T> = { [K in keyof T]: T[K] }
/** `{ a: X | undefined }` made by `optional` becomes `{ a?: X }`. */
type Loosen<T> = Flat<Omit<T, OptionalKeys<T>> & { [K in OptionalKeys<T>]?: Exclude<T[K], undefined> }>
type LoosenSent<T> = Flat<Omit<T, OptionalKeys<T>> & { [K in OptionalKeys<T>]?: T[K] }>

type SentArgs<A extends readonly unknown[]> = TrimArgs<{ [K in keyof A]: Sent<A[K]> }>
type ReceivedArgs<A extends readonly unknown[]> = TrimArgs<{ [K in keyof A]: Received<A[K]> }>
/** Trailing optional arguments may be left out. */
type TrimArgs<A extends readonly unknown[]> = A extends readonly [...infer Head, infer Last]
  ? undefined extends Last
    ? [...TrimOptional<Head>, Last?]
    : [...Head, Last]
  : []
type TrimOptional<A extends readonly unknown[]> = A extends readonly [...infer Head, infer Last]
  ? undefined extends Last
    ? [...TrimOptional<Head>, Last?]
    : [...Head, Last]
  : []

/** Members a peer may leave out: calls marked `since`, and data members whose shape is optional. */
type OptionalMembers<M> = {
  [K in keyof M]: M[K] extends Call<any, any, infer V>
    ? V extends number
      ? K
      : never
    : M[K] extends Shape
      ? undefined extends Sent<M[K]>
        ? K
        : never
      : never
}[keyof M]
type ServedMember<T> = T extends Call<infer A, infer R> ? (...args: ReceivedArgs<A>) => Awaitable<Sent<R>> : T extends Shape ? Sent<T> : Served<T>

/** The object a broker (or any serving side) implements for these members; those marked `since` may be left out. */
export type Served<M> = Flat<
  { [K in Exclude<keyof M, OptionalMembers<M>>]: ServedMember<M[K]> } & { [K in OptionalMembers<M>]?: ServedMember<M[K]> | undefined }
>

/** A part of what serves these members: any of them may be left out, at every level, and the peer sees that. */
export type ServedPart<M> = {
  readonly [K in keyof M]?: (M[K] extends Call<any, any> ? ServedMember<M[K]> : M[K] extends Shape ? Sent<M[K]> : ServedPart<M[K]>) | undefined
}

/**
 * The object a caller holds for these members; a member the peer does not serve is `undefined`. Members marked `since` say
 * so in their type, so that a caller cannot forget the older peer.
 */
export type Remote<M> = {
  readonly [K in keyof M]: M[K] extends Call<infer A, infer R, infer V>
    ? ((...args: SentArgs<A>) => Promise<Received<R>>) | (V extends number ? undefined : never)
    : M[K] extends Shape
      ? Received<M[K]>
      : Remote<M[K]>
}

/** What a caller holds of a peer that may lack whole namespaces, so that it must look before it calls. */
export type RemotePart<M> = {
  readonly [K in keyof M]: M[K] extends Call<any, any> | Shape ? Remote<M>[K] | undefined : RemotePart<M[K]> | undefined
}

type Data<T> = Typed<T, T>
const shape = <T extends Shape>(body: ShapeBody): T => Object.freeze(body) as unknown as T

/** No value: `undefined`. */
export const nothing = /* @__PURE__ */ shape<Data<void> & { readonly kind: 'nothing' }>({ kind: 'nothing' })
/** `true` or `false`. */
export const boolean = /* @__PURE__ */ shape<Data<boolean> & { readonly kind: 'boolean' }>({ kind: 'boolean' })
/** Any structured-clone data; handed on untouched, so never interpreted by the receiver's own code. */
export const opaque = /* @__PURE__ */ shape<Data<unknown> & { readonly kind: 'opaque' }>({ kind: 'opaque', as: undefined })
/**
 * A value the sender is typed to give and the receiver must check itself, because the contract answers a bad one with a
 * refusal of its own instead of a shape error. Structured-clone data, handed on untouched.
 */
export const unchecked = <S extends Shape>(as: S) => shape<Typed<Sent<S>, unknown> & { readonly kind: 'opaque' }>({ kind: 'opaque', as })
/** A `URL` object; crosses as its `href`. */
export const url = /* @__PURE__ */ shape<Data<URL> & { readonly kind: 'url' }>({ kind: 'url' })
/** A `MessagePort`, transferred. */
export const port = /* @__PURE__ */ shape<Data<MessagePort> & { readonly kind: 'port' }>({ kind: 'port' })
/** An `AbortSignal`; the far copy aborts when this one does, with an `AbortError`. */
export const signal = /* @__PURE__ */ shape<Data<AbortSignal> & { readonly kind: 'signal' }>({ kind: 'signal' })
/** A `Blob` or `File`. */
export const blob = /* @__PURE__ */ shape<Data<Blob> & { readonly kind: 'blob' }>({ kind: 'blob' })
/** A `Request`, taken apart and rebuilt, its body a byte stream. */
export const request = /* @__PURE__ */ shape<Data<Request> & { readonly kind: 'request' }>({ kind: 'request' })
/** A `Response`, taken apart and rebuilt, its body a byte stream. */
export const response = /* @__PURE__ */ shape<Data<Response> & { readonly kind: 'response' }>({ kind: 'response' })
/** A readable stream of bytes on a port of its own, with byte credit. */
export const byteSource = /* @__PURE__ */ shape<Data<ReadableStream<Uint8Array<ArrayBuffer>>> & { readonly kind: 'byteSource' }>({ kind: 'byteSource' })
/** A writable stream of bytes on a port of its own, with byte credit. */
export const byteSink = /* @__PURE__ */ shape<Data<WritableStream<Uint8Array<ArrayBuffer>>> & { readonly kind: 'byteSink' }>({ kind: 'byteSink' })

/** A number; finite unless `max` or `min` is infinite, and never NaN unless `nan` admits it. */
export const number = (rules: { min?: number; max?: number; nan?: boolean } = {}) =>
  shape<Data<number> & { readonly kind: 'number' }>({
    kind: 'number',
    integer: false,
    nan: rules.nan ?? false,
    min: rules.min ?? -Number.MAX_VALUE,
    max: rules.max ?? Number.MAX_VALUE,
  })
/** A safe whole number, from 0 unless `min` says otherwise. */
export const integer = (rules: { min?: number; max?: number } = {}) =>
  shape<Data<number> & { readonly kind: 'number' }>({
    kind: 'number',
    integer: true,
    nan: false,
    min: rules.min ?? 0,
    max: rules.max ?? Number.MAX_SAFE_INTEGER,
  })
/** A string of at most `max` UTF-16 units (8,192 unless said), matching `pattern` where there is one. */
export const string = (rules: { min?: number; max?: number; pattern?: RegExp } = {}) =>
  shape<Data<string> & { readonly kind: 'string' }>({ kind: 'string', min: rules.min ?? 0, max: rules.max ?? 8192, pattern: rules.pattern })
/** One of the listed literals. */
export const oneOf = <const V extends readonly (string | number | boolean)[]>(...values: V) =>
  shape<Data<V[number]> & { readonly kind: 'oneOf'; readonly values: V }>({ kind: 'oneOf', values, otherwise: undefined })
/** One of the listed texts; any other text, as a newer peer may send, reads as `otherwise`. */
export const oneOfOr = <const V extends readonly string[]>(otherwise: V[number], ...values: V) =>
  shape<Data<V[number]> & { readonly kind: 'oneOf'; readonly values: V }>({ kind: 'oneOf', values, otherwise })
/** A `Uint8Array` of at most `max` bytes (64 MiB unless said); a view of a part is copied, a whole buffer is moved. */
export const bytes = (rules: { max?: number } = {}) =>
  shape<Data<Uint8Array<ArrayBuffer>> & { readonly kind: 'bytes' }>({ kind: 'bytes', max: rules.max ?? 2 ** 26 })
/** An `ArrayBuffer` of at most `max` bytes (64 MiB unless said), moved. */
export const buffer = (rules: { max?: number } = {}) => shape<Data<ArrayBuffer> & { readonly kind: 'buffer' }>({ kind: 'buffer', max: rules.max ?? 2 ** 26 })

/** The shape, or `null`. */
export const nullable = <S extends Shape>(of: S) => shape<Typed<Sent<S> | null, Received<S> | null> & { readonly kind: 'nullable' }>({ kind: 'nullable', of })
/** The shape, or absent: an optional member of an object, or an optional argument. */
export const optional = <S extends Shape>(of: S) =>
  shape<Typed<Sent<S> | undefined, Received<S> | undefined> & { readonly kind: 'optional' }>({ kind: 'optional', of })
/** A list of `min` (0 unless said) to `max` (10,000 unless said) items. */
export const list = <S extends Shape>(of: S, rules: { min?: number; max?: number } = {}) =>
  shape<Typed<readonly Sent<S>[], Received<S>[]> & { readonly kind: 'list' }>({ kind: 'list', of, min: rules.min ?? 0, max: rules.max ?? 10_000 })
type Repeat<T, N extends number, A extends readonly T[] = []> = A['length'] extends N ? A : Repeat<T, N, [...A, T]>
/** A list of exactly `count` items of one shape. */
export const tuple = <S extends Shape, const N extends number>(of: S, count: N) =>
  shape<Typed<Readonly<Repeat<Sent<S>, N>>, Repeat<Received<S>, N>> & { readonly kind: 'list' }>({ kind: 'list', of, min: count, max: count })
/** An object with arbitrary string keys, at most `max` of them (1,000 unless said). */
export const dictionary = <S extends Shape>(of: S, rules: { max?: number } = {}) =>
  shape<Typed<Readonly<Record<string, Sent<S>>>, Record<string, Received<S>>> & { readonly kind: 'dictionary' }>({
    kind: 'dictionary',
    of,
    max: rules.max ?? 1000,
  })
/** An object with exactly these members; others are dropped on arrival. */
export const object = <const M extends Readonly<Record<string, Shape>>>(members: M) =>
  shape<
    Typed<LoosenSent<{ readonly [K in keyof M]: Sent<M[K]> }>, Loosen<{ -readonly [K in keyof M]: Received<M[K]> }>> & {
      readonly kind: 'object'
      readonly members: M
    }
  >({ kind: 'object', members })
/** The first branch that accepts the value; the branch taken crosses the wire, so it is never guessed twice. */
export const either = <const B extends readonly Shape[]>(...branches: B) =>
  shape<Typed<Sent<B[number]>, Received<B[number]>> & { readonly kind: 'either'; readonly branches: B }>({ kind: 'either', branches })

/** A promise that may settle long after the call that carried it. */
export const promise = <S extends Shape>(of: S) => shape<Typed<Promise<Sent<S>>, Promise<Received<S>>> & { readonly kind: 'promise' }>({ kind: 'promise', of })
/** A readable stream of items of the shape. */
export const stream = <S extends Shape>(of: S) =>
  shape<Typed<ReadableStream<Sent<S>>, ReadableStream<Received<S>>> & { readonly kind: 'stream' }>({ kind: 'stream', of })
/** A function that crosses by reference. */
export const callback = <const A extends readonly Shape[], R extends Shape = typeof nothing>(args: A, result?: R) =>
  shape<
    Typed<(...args: ReceivedArgs<A>) => Awaitable<Sent<R>>, (...args: SentArgs<A>) => Promise<Received<R>>> & {
      readonly kind: 'callback'
      readonly args: A
      readonly result: R
    }
  >({
    kind: 'callback',
    args,
    result: result ?? nothing,
  })
/** An object with methods that crosses by reference, its data members by value. */
export const handle = <const M extends Members>(members: M) =>
  shape<Typed<Served<M>, Remote<M>> & { readonly kind: 'handle'; readonly members: M }>({ kind: 'handle', members })

/** A refusal as data. */
export interface Fail<Code extends string = string> {
  readonly error: Code
  readonly message: string
}
/** The shape of a refusal with one of these codes. */
export const fail = <const C extends readonly string[]>(codes: C) =>
  object({ error: oneOf(...codes), message: string({ max: 1024 }) }) as unknown as Typed<Fail<C[number]>, Fail<C[number]>> & {
    readonly kind: 'object'
    readonly members: Readonly<Record<string, Shape>>
  }

/** What may be said of a call beside its arguments and its result. */
export interface CallRules {
  readonly codes?: readonly string[]
  readonly since?: number
  readonly deadline?: number
}
// Read off the rules by conditional types, which no expected type of the surrounding value can widen.
type CodesOf<Rules> = Rules extends { readonly codes: infer C extends readonly string[] } ? C : readonly []
type SinceOf<Rules> = Rules extends { readonly since: infer V extends number } ? V : undefined
type Refusable<R extends Shape, C extends readonly string[]> = [C[number]] extends [never]
  ? R
  : Typed<Sent<R> | Fail<C[number]>, Received<R> | Fail<C[number]>> & { readonly kind: 'either' }
/** One operation. With `codes`, the result is the result shape or `{ error, message }` with one of the codes. */
export const call = <const A extends readonly Shape[], R extends Shape, const Rules extends CallRules = Record<never, never>>(
  args: A,
  result: R,
  rules?: Rules,
): Call<A, Refusable<R, CodesOf<Rules>>, SinceOf<Rules>> => {
  const { codes = [], since, deadline }: CallRules = rules ?? {}
  const answer = codes.length === 0 ? result : either(fail(codes), result)
  return Object.freeze({ kind: 'call', args, result: answer as unknown as Refusable<R, CodesOf<Rules>>, codes, since: since as SinceOf<Rules>, deadline })
}

/** The shape as its interpreters read it. */
export const bodyOf = (of: Shape): ShapeBody => of as unknown as ShapeBody

/** Whether a member is a call. */
export const isCall = (member: Members[string] | undefined): member is Call => (member as { kind?: unknown } | undefined)?.kind === 'call'
/** Whether a member is a shape (a data member), as opposed to a call or a nested namespace. */
export const isShape = (member: Members[string]): member is Shape =>
  typeof (member as { kind?: unknown }).kind === 'string' && (member as { kind?: unknown }).kind !== 'call'
