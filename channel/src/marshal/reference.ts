import type { Shape } from '@deputy/contract/shape'
import { ShapeError } from '@deputy/contract/validate'
import { decodeError, encodeError, unavailable } from '../errors.ts'
import { SETTLE, ABORT } from '../wire.ts'
import { compileCallback } from './call.ts'
import type { Anchor, Codec, Compile } from './context.ts'

const anchors = new WeakMap<object, Anchor>()

/** The reference behind a remote function or handle. */
export const anchorOf = (value: unknown): Anchor | undefined =>
  typeof value === 'function' || (typeof value === 'object' && value !== null) ? anchors.get(value) : undefined
/** Remembers the reference behind a remote function or handle. */
export const anchor = (value: object, to: Anchor): void => void anchors.set(value, to)

/** A function: its reference crosses. */
export function callback(args: readonly Shape[], result: Shape, compile: Compile): Codec {
  // Compiled on first use: shapes may be large and most callbacks of a contract are never sent.
  let made: ReturnType<typeof compileCallback> | undefined
  const codec = () => (made ??= compileCallback(args, result, compile))
  return {
    encode: (value, context, path) => {
      if (typeof value !== 'function') throw new ShapeError(path, 'a function')
      const bound = { codec: codec(), run: value as (...args: unknown[]) => unknown }
      return context.references.give('callback', member => (member === '' ? bound : undefined)).id
    },
    decode: (wire, context) => {
      const to = context.references.take('callback', wire)
      const call = codec()
      const remote = call.tells
        ? async (...values: unknown[]) => context.notify(to, call, values)
        : (...values: unknown[]) => {
            const answer = context.invoke(to, '', call, values)
            // Whoever calls a listener seldom waits for it; a peer that is gone must not surface as an unhandled rejection there.
            answer.catch(ignore)
            return answer
          }
      anchor(remote, to)
      return remote
    },
  }
}

/** A promise: settled by a later message. */
export const promise = (of: Codec): Codec => ({
  encode: (value, context, path) => {
    if (!isThenable(value)) throw new ShapeError(path, 'a promise')
    const given = context.references.give('promise')
    const reject = (error: unknown) => {
      context.fault(error)
      context.send(() => [SETTLE, given.id, false, encodeError(error)])
    }
    Promise.resolve(value)
      .then(settled => context.send(() => [SETTLE, given.id, true, of.encode(settled, context, '')]))
      .catch(reject)
      .finally(() => given.drop())
      .catch(ignore)
    return given.id
  },
  decode: (wire, context) => {
    const answer = new Promise((resolve, reject: (error: Error) => void) => {
      context.references.expect('promise', wire, (fulfilled, value) => {
        if (!fulfilled) return reject(value === undefined ? unavailable() : decodeError(value))
        try {
          resolve(of.decode(value, context, ''))
        } catch (error) {
          reject(error as Error)
        }
      })
    })
    answer.catch(ignore)
    return answer
  },
})

/** An abort signal: 0 for one that has aborted, else its reference. One whose link has ended aborts with an `unavailable` error as its reason. */
export const signal: Codec = {
  encode: (value, context, path) => {
    if (!(value instanceof AbortSignal)) throw new ShapeError(path, 'an AbortSignal')
    if (value.aborted) return 0
    const onAbort = () => {
      context.send(() => [ABORT, given.id])
      given.drop()
    }
    const given = context.references.give('signal', undefined, () => value.removeEventListener('abort', onAbort))
    value.addEventListener('abort', onAbort)
    return given.id
  },
  decode: (wire, context) => {
    if (wire === 0) return AbortSignal.abort()
    const controller = new AbortController()
    context.references.expect('signal', wire, fulfilled => controller.abort(fulfilled ? undefined : unavailable()))
    return controller.signal
  },
}

const isThenable = (value: unknown): value is PromiseLike<unknown> => typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
const ignore = () => {}
