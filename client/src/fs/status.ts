/** How the files and the cloud stand, for a line in the app. */
export interface Status {
  /** Whether an account is connected; `unknown` while nobody could be asked. */
  readonly account: 'connected' | 'disconnected' | 'unknown'
  /**
   * `idle`: the cloud knows everything; `syncing`; `offline`: tried again by itself; `locked`: waits for `unlock`; `full`: the account has no room left; `failed`: a file the cloud refuses,
   * see `error`.
   */
  readonly state: 'idle' | 'syncing' | 'offline' | 'locked' | 'full' | 'failed'
  /** Files of this account whose latest state the cloud has still to hear of. */
  readonly pending: number
  /** The same of other accounts: kept here until they are signed in again. */
  readonly waiting: number
  /** Conflicts that wait for an answer. */
  readonly conflicts: number
  /** How far files of nobody are taken into the account; `null` when none are. */
  readonly adopting: { readonly done: number; readonly total: number } | null
  /** Code of what went wrong last. */
  readonly error: string | null
}

/** Before anybody was asked. */
export const initial: Status = { account: 'unknown', state: 'idle', pending: 0, waiting: 0, conflicts: 0, adopting: null, error: null }

/** What the tabs of one origin tell each other. */
export type Signal = { readonly kind: 'wake' } | { readonly kind: 'state'; readonly state: Partial<Pick<Status, 'state' | 'error' | 'waiting' | 'conflicts'>> }
