import type { Sessions } from '../sessions/sessions.ts'
import { useEffect, useState } from 'preact/hooks'
import type { Session } from '../sessions/sessions.ts'
import { Column } from './page.tsx'
import { useSpeech } from './speech-context.ts'

/** The account page. */
export const AccountWindow = ({ sessions }: { readonly sessions: Sessions }) => {
  const { text } = useSpeech()
  const [session, setSession] = useState<Session | null>(null)
  useEffect(() => {
    void sessions.current().then(setSession)
    return sessions.onChange(() => void sessions.current().then(setSession))
  }, [sessions])
  return (
    <Column>
      <h1>{session === null ? text.account.signedOut.title : session.account.name}</h1>
    </Column>
  )
}
