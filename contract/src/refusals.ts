import type { Fail } from './shape.ts'

/** One row of a refusal table: the code callers branch on and the exact message. */
export interface Refusal<Code extends string = string> {
  readonly code: Code
  readonly message: string
}

/** The refusal as it crosses: `refuse(storageRefusals.badKey)` is `{ error: 'invalid', message: 'storage: …' }`. */
export const refuse = <Code extends string>(refusal: Refusal<Code>): Fail<Code> => ({ error: refusal.code, message: refusal.message })

/** Whether an answer is a refusal. An answer of the contract that is no refusal never has both members as text. */
export const isRefusal = <T>(answer: T): answer is Extract<T, Fail> => {
  if (typeof answer !== 'object' || answer === null) return false
  const { error, message } = answer as { error?: unknown; message?: unknown }
  return typeof error === 'string' && typeof message === 'string'
}
