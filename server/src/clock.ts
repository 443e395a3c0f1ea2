/** Where the server reads the time from; tests hand in one they move by hand. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() }
