/** What `tunnel-browser.ts` and its page tell each other. */

/** What is measured. */
export const subjects = ['down', 'up', 'bulk', 'flight', 'six', 'single'] as const
export type Subject = (typeof subjects)[number]

/** What the bench asks of the page. */
export interface PageOrder {
  readonly broker: string
  /** Written in the broker's partition before the app's frame first looks. */
  readonly kept: Readonly<Record<string, unknown>>
  readonly only: readonly Subject[]
  readonly rounds: number
  /** Port of the TCP source, and of the bare WebSocket relay to it. */
  readonly source: number
  readonly relay: number
  /** An HTTP site: `/bytes/<count>`, with whatever follows. */
  readonly site: string
  /** Bytes of a transfer, and of a fetched body. */
  readonly bytes: number
  /** Requests of 1 KiB. */
  readonly requests: number
}

/** Seconds of one round, bare and through the tunnel. */
export interface Measure {
  readonly subject: Subject
  /** Megabytes, or requests. */
  readonly count: number
  readonly bare: number
  readonly deputy: number
}
