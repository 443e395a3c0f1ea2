/** How grave a log line is. */
export type Level = 'error' | 'warn' | 'info'

/** Writes one JSON object a line. Callers hand only what may be read by an operator: never tokens, codes, keys, addresses or bodies. */
export interface Log {
  error(event: string, fields?: Fields): void
  warn(event: string, fields?: Fields): void
  info(event: string, fields?: Fields): void
}
type Fields = Readonly<Record<string, string | number | boolean | undefined>>

const order = ['silent', 'error', 'warn', 'info'] as const

/** A log of the given level and graver, written line by line to `sink`. */
export function makeLog(level: Level | 'silent', sink: (line: string) => void, now: () => number): Log {
  const at =
    (of: Level) =>
    (event: string, fields: Fields = {}) => {
      if (order.indexOf(of) <= order.indexOf(level)) sink(`${JSON.stringify({ time: new Date(now()).toISOString(), level: of, event, ...fields })}\n`)
    }
  return { error: at('error'), warn: at('warn'), info: at('info') }
}

/** The parts of an error that may be logged: its class and the place, not its message, which may repeat what a person sent. */
export const placeOf = (error: unknown): { error: string; place: string | undefined } => {
  if (!(error instanceof Error)) return { error: typeof error, place: undefined }
  // The message stands in the stack as well, and may hold lines that look like places.
  const { stack = '', message } = error
  const frames = stack
    .slice(stack.indexOf(message) + message.length)
    .split('\n')
    .filter(line => line.trimStart().startsWith('at '))
  return {
    error: error.name,
    place:
      frames
        .slice(0, 4)
        .map(line => line.trim())
        .join(' < ') || undefined,
  }
}
