import type { Bytes } from './bytes/bytes.ts'
import type { Clock } from './clock.ts'
import type { Ids } from './ids.ts'
import type { Mail } from './mail/mail.ts'

/** What a caller of `startServer` may put in place of the server's own. */
export interface Seams {
  readonly clock?: Clock
  readonly ids?: Ids
  readonly mail?: Mail
  /** Bytes of objects; files of the folder unless said. */
  readonly bytes?: Bytes
  /** Bytes of cloud files; files of the folder unless said. */
  readonly fileBytes?: Bytes
  /** Where log lines go; standard error unless said. */
  readonly logTo?: (line: string) => void
  /** Where letters are printed when no mail server is configured; standard output unless said. */
  readonly print?: (text: string) => void
}
