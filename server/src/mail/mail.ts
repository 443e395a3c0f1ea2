/** A mail to one person, plain text. */
export interface Letter {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Sends mail. */
export interface Mail {
  /** Resolves once a mail server has taken it. @throws when none does. */
  send(letter: Letter): Promise<void>
  /** Releases connections. */
  close(): Promise<void>
}
