import { ChannelError } from './errors.ts'

/** How much a peer may hold open on one link; each is counted at the side that states it. */
export interface Limits {
  /** Calls of the peer being served at once. */
  readonly calls: number
  /** Callbacks, handles, promises and signals, each way. */
  readonly references: number
  /** Streams, each way together. */
  readonly streams: number
  /** Bytes of one stream that may wait unread here. */
  readonly window: number
  /** Items of one stream that may wait unread here. */
  readonly items: number
  /** Approximate bytes of one message, moved buffers not counted. */
  readonly message: number
  /** Nesting of one message. */
  readonly depth: number
  /** Live links forked from this one. */
  readonly forks: number
}

/** The limits where none are stated. */
export const defaultLimits: Limits = {
  calls: 1024,
  references: 8192,
  streams: 512,
  window: 2 ** 20,
  items: 64,
  message: 2 ** 24,
  depth: 64,
  forks: 32,
}

/** Throws `ChannelError` limit when a message is larger or deeper than allowed; stops counting as soon as it is. */
export function weigh(message: unknown, limits: Limits): void {
  let left = limits.message
  const visit = (value: unknown, depth: number): void => {
    left -= typeof value === 'string' ? 2 * value.length + 8 : 8
    if (left < 0 || depth > limits.depth) throw new ChannelError('limit', 'the message is too large')
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return
    if (value instanceof Map) {
      for (const [key, item] of value) {
        visit(key, depth + 1)
        visit(item, depth + 1)
      }
    } else if (value instanceof Set) {
      for (const item of value) visit(item, depth + 1)
    } else {
      // Own keys, so that a sparse list costs what it holds; keys count, since an object may be all keys.
      for (const key of Object.keys(value)) {
        left -= 2 * key.length
        visit((value as Record<string, unknown>)[key], depth + 1)
      }
    }
  }
  visit(message, 0)
}
