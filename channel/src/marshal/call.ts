import { bodyOf, type Call, type Shape } from '@deputy/contract/shape'
import { partsOf } from './parts.ts'
import type { Codec, Compile, Context, Reference, Scope } from './context.ts'

/** What the link needs to know of one call or callback. */
export interface CallCodec {
  readonly args: readonly Codec[]
  readonly result: Codec
  /** Milliseconds to an answer. */
  readonly deadline: number
  /** Takes a callback and answers the function that ends the subscription: both live and go together. */
  readonly subscribes: boolean
  /** Nothing is answered, so nothing is waited for. */
  readonly tells: boolean
}

/** Milliseconds to an answer where the contract names none. */
export const DEADLINE = 30_000

const calls = new WeakMap<object, CallCodec>()

/** The codec of a call. */
export function compileCall(call: Call, compile: Compile): CallCodec {
  let codec = calls.get(call)
  if (codec === undefined) {
    codec = {
      args: call.args.map(compile),
      result: compile(call.result),
      deadline: call.deadline ?? DEADLINE,
      subscribes: isSubscription(call),
      tells: false,
    }
    calls.set(call, codec)
  }
  return codec
}

/** The codec of a callback; one that takes arguments and answers nothing is told without waiting, so that events stay in order and cost one message. */
export const compileCallback = (args: readonly Shape[], result: Shape, compile: Compile): CallCodec => ({
  args: args.map(compile),
  result: compile(result),
  deadline: DEADLINE,
  subscribes: isSubscription({ args, result }),
  tells: args.length > 0 && result.kind === 'nothing',
})

/** Whether a call takes a callback and may answer a function without arguments: the unsubscribe function. */
export const isSubscription = (call: { args: readonly Shape[]; result: Shape }): boolean => answersFunction(call.result) && call.args.some(takesCallback)

const takesCallback = (shape: Shape): boolean => shape.kind === 'callback' || (partsOf(bodyOf(shape))?.some(takesCallback) ?? false)

function answersFunction(shape: Shape): boolean {
  const body = bodyOf(shape)
  if (body.kind === 'callback') return body.args.length === 0
  // Only a function that is the whole answer ends a subscription.
  return (body.kind === 'either' || body.kind === 'optional' || body.kind === 'nullable') && (partsOf(body)?.some(answersFunction) ?? false)
}

/** Writes arguments. */
export function encodeArgs(codec: CallCodec, args: readonly unknown[], context: Context): unknown[] {
  const wire: unknown[] = []
  for (let index = 0; index < codec.args.length; index++) wire.push(codec.args[index]?.encode(args[index], context, `arguments[${index}]`))
  return wire
}

/** Reads arguments; more than the call has are dropped. */
export function decodeArgs(codec: CallCodec, wire: unknown, context: Context): unknown[] {
  if (!Array.isArray(wire)) throw new TypeError('arguments: expected a list')
  return codec.args.map((arg, index) => arg.decode(wire[index], context, `arguments[${index}]`))
}

/**
 * Ties what came with the arguments to what the result brought: signals, and the callbacks of a subscription, are let go
 * when the last reference of the result is, at once when it brought none. Both ends do the same with their own halves.
 */
export function tie(codec: CallCodec, withArgs: readonly Reference[], withResult: readonly Reference[]): void {
  const held = withArgs.filter(({ kind }) => kind === 'signal' || (codec.subscribes && kind === 'callback'))
  if (held.length === 0) return
  if (withResult.length === 0) return release(held)
  const scope: Scope = { left: withResult.length, held }
  for (const reference of withResult) reference.scope = scope
}

/** Drops callbacks and signals that came with arguments nobody will use. */
export const release = (held: readonly Reference[]): void => {
  for (const reference of held) if (reference.kind === 'signal' || reference.kind === 'callback') reference.drop()
}

/** One reference of a scope is gone. */
export function leave(scope: Scope | undefined): void {
  if (scope !== undefined && --scope.left === 0) release(scope.held)
}
