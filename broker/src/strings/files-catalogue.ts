import type { Formats } from './catalogue.ts'

/** Every text about an app's files. */
export interface FilesCatalogue {
  readonly adopt: {
    readonly title: string
    readonly text: string
    readonly amount: (formats: Formats, files: number, bytes: number) => string
    readonly go: string
    readonly working: string
    readonly progress: (formats: Formats, done: number, files: number) => string
    readonly failed: string
  }
  readonly conflict: {
    readonly title: string
    readonly text: string
    readonly file: string
    readonly here: string
    readonly account: string
    readonly unknownTime: string
    readonly keepHere: string
    readonly keepAccount: string
    /** Undecided: nothing is overwritten. */
    readonly both: string
  }
}
