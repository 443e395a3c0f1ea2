import type { CloudCalls } from './cloud-calls.ts'
import { isCode } from './errors.ts'
import type { Records } from './records.ts'

/** Where files stand that belong to no account: written while nobody was connected. */
export const NOBODY = 'nobody'

/** The files of one account in this browser; the pin is of that account and tells whether it is the one signed in now. */
export interface Space {
  readonly id: string
  readonly pin: string
}

/** Whose files are shown: `disconnected` is an answer, `unknown` means that nobody could be asked. */
export interface Standing {
  readonly account: 'connected' | 'disconnected' | 'unknown'
  readonly space: string
}

export interface Spaces {
  all(): Promise<readonly Space[]>
  /** The space shown last in this browser. */
  last(): Promise<string>
  /** Asks the broker who is signed in and finds the space of that account, or makes it. */
  identify(): Promise<Standing>
}

/**
 * Spaces by account. Pins cannot be compared, so a space is recognised by a call under its pin: the broker refuses it `account-changed` under every other account. `alone` runs
 * one at a time over all tabs, so that two do not make a space each.
 */
export function spacesOf(options: {
  readonly records: Records
  readonly calls: CloudCalls
  readonly unique: () => string
  readonly alone: <T>(run: () => Promise<T>) => Promise<T>
}): Spaces {
  const { records, calls, unique, alone } = options
  const all = async () => ((await records.value('spaces')) ?? []) as readonly Space[]
  const last = async () => ((await records.value('last')) as string | undefined) ?? NOBODY
  /** Whether the account of a pin is signed in. @throws {FsError} when that cannot be told now. */
  const matches = async (pin: string): Promise<boolean> => {
    try {
      await calls.stat(pin, 'deputy')
      return true
    } catch (error) {
      if (isCode(error, 'ACCOUNT_CHANGED')) return false
      // A pin is checked before anything else, so whatever else is refused is refused to the account of the pin.
      if (isCode(error, 'STORAGE_LOCKED', 'STALE_EPOCH', 'INTEGRITY', 'ENOENT', 'QUOTA')) return true
      throw error
    }
  }
  const found = async (): Promise<Standing> => {
    const account = await calls.availability()
    if (account === 'disconnected') return { account, space: NOBODY }
    if (account === 'unknown') return { account, space: await last() }
    const [spaces, recent] = [await all(), await last()]
    const known = async (): Promise<string | undefined> => {
      for (const { id, pin } of spaces.toSorted((a, b) => Number(b.id === recent) - Number(a.id === recent))) if (await matches(pin)) return id
      return undefined
    }
    const space = await known()
    if (space !== undefined) return { account, space }
    const made = { id: unique(), pin: await calls.pin() }
    if (!(await matches(made.pin))) return { account: 'unknown', space: NOBODY }
    // The account may have changed between the looks, to one that has a space already.
    const changed = await known()
    if (changed !== undefined) return { account, space: changed }
    await records.setValue('spaces', [...spaces, made])
    return { account, space: made.id }
  }
  return {
    all,
    last,
    identify: () =>
      alone(async () => {
        const standing = await found()
        if (standing.space !== (await last())) await records.setValue('last', standing.space)
        return standing
      }),
  }
}
