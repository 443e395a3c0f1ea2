/** What an account's use of the tunnel is measured and held back by. */
export interface Meter {
  /** Counts bytes that passed; answers how many milliseconds the sender is to be held back now. */
  sent(bytes: number): number
  received(bytes: number): number
  /** Whether the account has used its quota up: nothing new is opened. */
  readonly spent: boolean
}
