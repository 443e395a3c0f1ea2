import { nodeError, type NodeError } from './errors.ts'

/** What is wrong with a message, as Node tells it. */
export const parseError = (code: string, reason: string): NodeError & { reason: string } => Object.assign(nodeError(code, `Parse Error: ${reason}`), { reason })

/** Thrown within a parser. */
export class ParseFailure extends Error {
  readonly code: string
  readonly reason: string

  constructor(code: string, reason: string) {
    super(reason)
    this.code = code
    this.reason = reason
  }
}
