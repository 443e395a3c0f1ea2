import type { Formats, TitleAndText } from './catalogue.ts'

/** Every text about the tunnel: the consent for its sockets, the bar, the choice of a node, what was used. */
export interface NetworkCatalogue {
  readonly consent: TitleAndText
  readonly lead: string
  readonly anyHost: string
  /** Stands in a list after the host that was allowed first. */
  readonly others: string
  readonly traffic: (formats: Formats, open: number, sent: number, received: number) => string
  /** Stands in the bar once the account has reached the limit of its day. */
  readonly spent: (time: string) => string
  /** Passes by when that happens. */
  readonly spentNotice: (host: string, time: string) => string
  readonly node: {
    readonly title: string
    readonly text: string
    readonly legend: string
    readonly now: string
    readonly ends: string
    readonly go: string
  }
  readonly section: string
  readonly text: string
  readonly none: string
  readonly failed: string
  readonly used: (used: string, limit: string) => string
  readonly usedFreely: (used: string) => string
  readonly usedLabel: string
  readonly over: (time: string) => string
  readonly rate: (rate: string) => string
  readonly plot: string
  readonly plotSays: (formats: Formats, sum: number, most: number) => string
  readonly app: (formats: Formats, sent: number, received: number) => string
  readonly perDay: (host: string) => string
  readonly columns: Readonly<Record<'day' | 'sent' | 'received', string>>
}
