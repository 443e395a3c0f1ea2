import type { Clock } from '@deputy/channel'

/** A clock that stands still until it is moved. */
export interface HandClock extends Clock {
  /** Moves time on, running what falls due on the way. */
  pass(milliseconds: number): void
  /** How many timers are set. */
  readonly timers: number
}

/** Makes a clock at 0. */
export function handClock(): HandClock {
  let now = 0
  const due = new Set<{ at: number; task: () => void }>()
  return {
    now: () => now,
    after: (milliseconds, task) => {
      const timer = { at: now + milliseconds, task }
      due.add(timer)
      return () => void due.delete(timer)
    },
    pass: milliseconds => {
      const end = now + milliseconds
      for (;;) {
        const [next] = [...due].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)
        if (next === undefined) break
        due.delete(next)
        now = Math.max(now, next.at)
        next.task()
      }
      now = end
    },
    get timers() {
      return due.size
    },
  }
}
