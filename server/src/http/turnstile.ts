/** Lets a bounded number in at a time. */
export interface Turnstile {
  /** Answers how to leave again, or null when there are too many. */
  enter(key: string): (() => void) | null
}

/** At most `all` at a time, and `each` of one key. */
export function turnstile({ all, each }: { all: number; each: number }): Turnstile {
  const inside = new Map<string, number>()
  let total = 0
  return {
    enter: key => {
      const mine = inside.get(key) ?? 0
      if (total >= all || mine >= each) return null
      total += 1
      inside.set(key, mine + 1)
      let left = false
      return () => {
        if (left) return
        left = true
        total -= 1
        const rest = (inside.get(key) ?? 1) - 1
        if (rest === 0) inside.delete(key)
        else inside.set(key, rest)
      }
    },
  }
}
