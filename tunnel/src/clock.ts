/** The time a session goes by; a test hands one it moves itself. */
export interface Clock {
  /** Milliseconds that never go back. */
  now(): number
  /** Runs once after so many milliseconds; answers the end of it. */
  after(milliseconds: number, run: () => void): () => void
}

/** The clock of the machine. */
export const machineClock: Clock = {
  now: () => performance.now(),
  after: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds)
    return () => clearTimeout(timer)
  },
}
