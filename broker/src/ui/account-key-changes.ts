import type { OpenedKeys } from '@deputy/seal'
import { useState } from 'preact/hooks'
import type { KeyState } from '../keys/account-keys.ts'
import type { Tried } from '../sign-in/tried.ts'
import { useAccount } from './account-context.ts'
import { useSpeech } from './speech-context.ts'

/** What the account page can change about the keys; each asks the person to open them first and says how it went. */
export interface KeyChanges {
  readonly busy: boolean
  unlock(): Promise<boolean>
  rotate(): Promise<void>
  setPassphrase(text: string): Promise<boolean>
  removePassphrase(id: string): Promise<void>
  reset(name: string): Promise<void>
}

/** Unlockers of passkeys the account no longer has: they go with the next rotation. */
export const orphans = ({ unlockers }: KeyState, passkeys: readonly { readonly id: string }[]): string[] =>
  unlockers.filter(({ credential }) => credential !== null && !passkeys.some(({ id }) => id === credential)).map(({ id }) => id)

/** Changes of the keys as the page shows them. */
export function useKeyChanges(state: KeyState, passkeys: readonly { readonly id: string }[]): KeyChanges {
  const { text } = useSpeech()
  const { keys, askOpened, say, changed } = useAccount()
  const [busy, setBusy] = useState(false)
  const { done, needsOpen } = text.keys.section
  const passphrases = state.unlockers.filter(({ kind }) => kind === 'passphrase').map(({ id }) => id)

  const finish = (outcome: Tried<unknown>, line: string): boolean => {
    setBusy(false)
    changed()
    if (outcome.problem === null) say(line, 'calm')
    else say(text.signIn.problems[outcome.problem], 'warning')
    return outcome.problem === null
  }
  const withOpened = async (line: string, change: (opened: OpenedKeys) => Promise<Tried<unknown>>, why: 'app' | 'change' = 'change'): Promise<boolean> => {
    setBusy(true)
    const opened = await askOpened(why)
    if (opened !== null) return finish(await change(opened), line)
    setBusy(false)
    say(needsOpen, 'warning')
    return false
  }
  return {
    busy,
    unlock: () => withOpened(done.unlocked, async () => ({ value: null, problem: null }), 'app'),
    rotate: async () => void (await withOpened(done.rotated, opened => keys.rotate(opened, { drop: orphans(state, passkeys) }))),
    setPassphrase: typed =>
      withOpened(done.passphraseSet, opened => {
        const way = { secret: { kind: 'passphrase', text: typed }, name: '' } as const
        // A new passphrase takes the old one's power: who knew that one must not open what comes.
        return passphrases.length === 0 ? keys.add(opened, way) : keys.rotate(opened, { drop: [...passphrases, ...orphans(state, passkeys)], add: [way] })
      }),
    removePassphrase: async id => void (await withOpened(done.passphraseRemoved, opened => keys.rotate(opened, { drop: [id, ...orphans(state, passkeys)] }))),
    reset: async name => {
      setBusy(true)
      finish(await keys.reset(name), done.reset)
    },
  }
}
