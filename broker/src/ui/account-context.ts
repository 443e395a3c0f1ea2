import type { Route, RouteAnswer, RouteBody } from '@deputy/contract/api'
import { createContext } from 'preact'
import { useContext, useLayoutEffect, useState } from 'preact/hooks'
import type { AccountFiles } from '../account-files/files.ts'
import type { Outcome } from '../api/api.ts'
import type { AccountKeys } from '../keys/account-keys.ts'
import type { OwnKeys } from '../keys/own-keys.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { useSpeech } from './speech-context.ts'
import type { AskOpened } from './unlock-dialog.tsx'

/** What the parts of the account page stand on. */
export interface AccountTools {
  readonly call: Sessions['call']
  readonly keys: AccountKeys
  /** The keys to read with. */
  readonly ownKeys: OwnKeys
  /** The files of apps. */
  readonly files: AccountFiles
  /** Asks the person to open the keys now, which changing them needs. */
  readonly askOpened: AskOpened
  /** Says a line aloud and on the page. */
  say(text: string, tone: 'calm' | 'warning'): void
  /** Goes up whenever something changed that other parts show too. */
  readonly version: number
  changed(): void
}

const Tools = createContext<AccountTools | undefined>(undefined)
/** Provides the tools. */
export const AccountProvider = Tools.Provider

/** The tools. @throws outside a provider. */
export function useAccount(): AccountTools {
  const tools = useContext(Tools)
  if (tools === undefined) throw new Error('a part of the account page stands in it')
  return tools
}

/** An answer of the service as it is shown: undefined while it loads. */
export interface Loaded<T> {
  readonly value: T | undefined
  readonly failed: boolean
}

/** Reads a route, anew whenever something changed. */
export function useRoute<R extends Route>(route: R, body: RouteBody<R>): Loaded<RouteAnswer<R>> {
  const { call, version } = useAccount()
  const [loaded, setLoaded] = useState<Loaded<RouteAnswer<R>>>({ value: undefined, failed: false })
  const text = JSON.stringify(body)
  useLayoutEffect(() => {
    let ended = false
    void call(route, JSON.parse(text) as RouteBody<R>).then(outcome => {
      if (!ended) setLoaded(before => (outcome.kind === 'answer' ? { value: outcome.value, failed: false } : { value: before.value, failed: true }))
    })
    return () => {
      ended = true
    }
  }, [call, route, text, version])
  return loaded
}

/** Whether the call was answered. */
export const answered = <T>(outcome: Outcome<T>): outcome is Extract<Outcome<T>, { kind: 'answer' }> => outcome.kind === 'answer'

/** Tells how a change ended, in these words where the service made it, and lets the other parts show what is there now. */
export function useTelling(): (outcome: Outcome<unknown>, done: string) => void {
  const { text } = useSpeech()
  const { say, changed } = useAccount()
  return (outcome, done) => {
    changed()
    if (answered(outcome)) say(done, 'calm')
    else say(text.account.failed, 'warning')
  }
}
