import type { Formats } from './catalogue.ts'

/** Every text about the files of apps on the account page. */
export interface AccountFilesCatalogue {
  readonly section: string
  readonly text: string
  readonly none: string
  readonly failed: string
  readonly usageLabel: string
  readonly used: (used: string, limit: string) => string
  readonly plot: string
  readonly plotSays: (formats: Formats, first: number, last: number, most: number) => string
  readonly holds: (formats: Formats, files: number, bytes: number) => string
  readonly show: string
  readonly showOf: (host: string) => string
  readonly hide: string
  readonly hideOf: (host: string) => string
  readonly deleteAll: string
  readonly deleteAllOf: (host: string) => string
  readonly deleteAllSure: (host: string) => string
  readonly locked: string
  readonly unlock: string
  readonly opening: string
  readonly unread: (formats: Formats, files: number) => string
  readonly unopened: string
  readonly download: string
  readonly downloadOf: (path: string) => string
  readonly downloadAll: string
  readonly packing: (formats: Formats, done: number, files: number) => string
  readonly packingLabel: string
  readonly stop: string
  readonly delete: string
  readonly deleteOf: (path: string) => string
  readonly deleteSure: string
  readonly more: (formats: Formats, left: number) => string
  readonly archive: (host: string) => string
  /** Sealing files again that are under an older key. */
  readonly again: {
    readonly left: (formats: Formats, files: number) => string
    readonly text: string
    readonly go: string
    readonly label: string
    readonly stop: string
    readonly done: string
    readonly stopped: string
    readonly failed: string
    readonly keysChanged: string
    readonly locked: string
    readonly broken: (formats: Formats, files: number) => string
    readonly noRoom: (formats: Formats, files: number) => string
  }
  readonly done: Readonly<Record<'deleted' | 'deletedAll' | 'saved' | 'notSaved', string>>
}
