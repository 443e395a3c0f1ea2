import type { Clock } from '@deputy/server'

/** A clock that stands still until it is moved. */
export interface TestClock extends Clock {
  /** Moves on by milliseconds. */
  advance(by: number): void
}

/** Milliseconds in the usual units. */
export const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

/** A clock that begins at some time of 2026. */
export function testClock(start = Date.UTC(2026, 10, 21)): TestClock {
  let now = start
  return {
    now: () => now,
    advance: by => {
      now += by
    },
  }
}
