import { ROOM_DESCRIPTION_LENGTH, ROOM_TEMPORARY_MS } from '@deputy/contract/limits'

/** What a claim asks for, checked; absent members were not said. */
export interface ClaimOptions {
  readonly description?: string
  readonly mailbox: boolean
  /** Milliseconds; absent is permanent. */
  readonly temporary?: number
}

// Control characters, line and paragraph separators, and the characters that turn the direction of text.
const unfit = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** Reads the options of a claim (claim rules 2 to 4); null when one of them is malformed. */
export function readClaimOptions({ description, mailbox, temporary }: { description?: unknown; mailbox?: unknown; temporary?: unknown }): ClaimOptions | null {
  let text: string | undefined
  if (description !== undefined) {
    if (typeof description !== 'string') return null
    text = description.trim()
    const { length } = text
    if (length < ROOM_DESCRIPTION_LENGTH.min || length > ROOM_DESCRIPTION_LENGTH.max || unfit.test(description.trim()) || !text.isWellFormed()) return null
  }
  if (mailbox !== undefined && typeof mailbox !== 'boolean') return null
  if (temporary !== undefined && temporary !== false) {
    if (typeof temporary !== 'number' || !Number.isSafeInteger(temporary)) return null
    if (temporary < ROOM_TEMPORARY_MS.min || temporary > ROOM_TEMPORARY_MS.max) return null
  }
  return {
    ...(text === undefined ? {} : { description: text }),
    mailbox: mailbox ?? true,
    ...(typeof temporary === 'number' ? { temporary } : {}),
  }
}
