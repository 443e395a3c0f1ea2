/** The listeners of one source of events. */
export interface Listeners<E> {
  tell(event: E): void
  /** Answers the end of the subscription; the first listener is told what it missed. */
  add(listener: (event: E) => void): () => void
}

/** Events kept for the first listener; the oldest go first. */
const KEPT = 1000

/** Nobody listens yet. */
export function listening<E>(): Listeners<E> {
  const listeners = new Set<(event: E) => void>()
  let kept: E[] | undefined = []
  const guarded = (listener: (event: E) => void, event: E): void => {
    try {
      listener(event)
    } catch (error) {
      // Told where uncaught errors are, without keeping the event from the others.
      reportError(error)
    }
  }
  return {
    tell: event => {
      for (const listener of [...listeners]) guarded(listener, event)
      kept?.push(event)
      if ((kept?.length ?? 0) > KEPT) kept?.shift()
    },
    add: listener => {
      // The same function may listen twice.
      const own = (event: E): void => listener(event)
      listeners.add(own)
      for (const event of kept ?? []) guarded(own, event)
      kept = undefined
      return () => void listeners.delete(own)
    },
  }
}
