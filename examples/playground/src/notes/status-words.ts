import type { Status } from '@deputy/client/fs'

/** What a person may have to do about it. */
export type Deed = 'sign-in' | 'unlock' | 'account'

/** How notes and account stand, in words. */
export interface Line {
  /** `calm`: all is well; `wait`: it goes on by itself; `care`: somebody has to do something. */
  readonly tone: 'calm' | 'wait' | 'care'
  readonly words: string
  readonly deed?: Deed
}

const changes = (count: number): string => (count === 1 ? '1 change' : `${count} changes`)
const behind = (pending: number): string => (pending === 0 ? '' : ` ${changes(pending)} ${pending === 1 ? 'waits' : 'wait'} here.`)

const faults: Readonly<Record<string, string>> = {
  TOO_MANY: 'The account holds as many files as it may.',
  TOO_LARGE: 'A note is too large for the account.',
  INTEGRITY: 'A note in the account does not open: it was altered, or belongs to other keys.',
}

const offline = (pending: number): Line => ({ tone: 'wait', words: pending === 0 ? 'Offline. Go on writing.' : `Offline.${behind(pending)}` })

/** The one line that is shown. What nobody has to do anything about stays quiet. */
export function lineOf({ account, state, pending, conflicts, adopting, error }: Status, isOnline = true): Line {
  if (adopting !== null) return { tone: 'wait', words: `Taking notes into your account: ${adopting.done} of ${adopting.total}` }
  // The browser knows at once what the broker finds out only after a while.
  if (!isOnline && account !== 'disconnected') return offline(pending)
  if (account === 'disconnected') return { tone: 'calm', words: 'Kept in this browser alone.', deed: 'sign-in' }
  if (conflicts > 0)
    return {
      tone: 'care',
      words: `${conflicts === 1 ? 'A note differs' : `${conflicts} notes differ`} between your devices. Answer the card, here or in your other tab.`,
    }
  if (state === 'locked') return { tone: 'care', words: `Your account is locked in this browser.${behind(pending)}`, deed: 'unlock' }
  if (state === 'full') return { tone: 'care', words: `Your account is full.${behind(pending)}`, deed: 'account' }
  if (state === 'failed') return { tone: 'care', words: `${faults[error ?? ''] ?? 'The account does not take a note.'}${behind(pending)}`, deed: 'account' }
  if (state === 'offline') return offline(pending)
  if (account === 'unknown') return { tone: 'wait', words: 'Asking your broker…' }
  if (pending > 0) return { tone: 'wait', words: `Saving ${changes(pending)} to your account…` }
  return { tone: 'calm', words: 'In your account.' }
}
