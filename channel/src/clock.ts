/** Time as the channel reads it; tests put their own in. */
export interface Clock {
  /** Milliseconds from any fixed start, never going back. */
  now(): number
  /** Runs `task` once after so many milliseconds unless the answer is called first. */
  after(milliseconds: number, task: () => void): () => void
}

/** The clock of the realm. */
export const realClock: Clock = {
  now: () => performance.now(),
  after: (milliseconds, task) => {
    // A delay past 2^31 would fire at once.
    const timer = setTimeout(task, Math.min(milliseconds, 2 ** 31 - 1))
    return () => clearTimeout(timer)
  },
}
