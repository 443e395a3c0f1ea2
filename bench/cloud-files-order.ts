/** What `cloud-files.ts` and its page tell each other. */

/** What is kept before the app's frame first looks. */
export interface Kept {
  /** `web:<origin>`. */
  readonly app: string
  readonly session: { readonly account: { readonly id: string } }
  /** Raw root key of the account. */
  readonly root: readonly number[]
}

/** What is measured. */
export const subjects = ['small', 'large', 'huge', 'list', 'local'] as const
export type Subject = (typeof subjects)[number]

/** What the bench asks of the page. */
export interface PageOrder {
  readonly broker: string
  readonly bare: string
  readonly kept: Kept
  readonly only: readonly Subject[]
  readonly rounds: number
  readonly atOnce: number
  /** Files of 1 KiB and of 1 MiB. */
  readonly small: number
  readonly large: number
  /** MiB of the one huge file. */
  readonly huge: number
  readonly locals: number
}

/** One measure of one round: seconds for all of it. */
export interface Measure {
  readonly name: string
  /** Files, or MiB. */
  readonly count: number
  /** By bare requests of the same page, and by WebCrypto alone where that may be what bounds it. */
  readonly bare: number
  readonly crypto: number
  readonly deputy: number
  /** Milliseconds of processor time of browser and servers together, by what took it. */
  readonly bareTime: Readonly<Record<string, number>>
  readonly deputyTime: Readonly<Record<string, number>>
}

/** All that was measured. */
export interface Result {
  readonly measures: readonly Measure[]
  /** Milliseconds: first, again, and what changed after one write. */
  readonly lists: readonly { readonly entries: number; readonly time: number }[]
  /** Milliseconds of each write. */
  readonly local: readonly number[]
  readonly hybrid: readonly number[]
}
