/** What the writer thread is started with; `procedures` is the url of a module that exports them as `writes`. */
export interface WriterSetup {
  readonly file: string
  readonly folder: string
  readonly procedures: string
}

/** One thing for the writer thread to do. */
export type WriterJob =
  | { readonly id: number; readonly task: 'write'; readonly name: string; readonly input: unknown }
  | { readonly id: number; readonly task: 'check' | 'close' }

/** How a job ended. */
export type WriterAnswer = { readonly job: number; readonly output: unknown } | { readonly job: number; readonly failure: string }

/** What the writer thread says: first that it is ready and which migrations it applied, then the answers of each turn. */
export type WriterNews = { readonly ready: readonly string[] } | { readonly answers: readonly WriterAnswer[] }
