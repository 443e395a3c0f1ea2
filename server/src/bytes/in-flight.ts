/** A part being received. */
interface Receiving {
  /** Breaks it off. */
  stop(): void
  readonly ended: Promise<void>
}

/** Parts being received, so that two never write the same bytes at once and no account holds too many. */
export interface InFlight {
  /**
   * Takes a part, once an earlier request for the same part has been stopped and has ended; answers how to give it back, or null
   * when the account receives too many already.
   */
  take(account: string, id: string, part: number, stop: () => void): Promise<(() => void) | null>
  /** Stops receiving parts of an object and waits until that has ended. */
  stop(id: string): Promise<void>
}

/** `most` is how many parts one account may be sending at a time. */
export function partsInFlight(most: number): InFlight {
  const receiving = new Map<string, Map<number, Receiving>>()
  const perAccount = new Map<string, number>()
  const count = (account: string, change: 1 | -1): void => {
    const now = (perAccount.get(account) ?? 0) + change
    if (now === 0) perAccount.delete(account)
    else perAccount.set(account, now)
  }
  return {
    async take(account, id, part, stop) {
      if ((perAccount.get(account) ?? 0) >= most) return null
      count(account, 1)
      const before = receiving.get(id)?.get(part)
      const { promise: ended, resolve } = Promise.withResolvers<void>()
      const mine = { stop, ended }
      // Taken before the wait: a third request waits for this one, not for the first.
      const parts = receiving.get(id) ?? new Map<number, Receiving>()
      receiving.set(id, parts.set(part, mine))
      before?.stop()
      await before?.ended
      return () => {
        count(account, -1)
        if (parts.get(part) === mine) parts.delete(part)
        if (parts.size === 0 && receiving.get(id) === parts) receiving.delete(id)
        resolve()
      }
    },
    async stop(id) {
      const parts = [...(receiving.get(id)?.values() ?? [])]
      for (const part of parts) part.stop()
      await Promise.all(parts.map(part => part.ended))
    },
  }
}
