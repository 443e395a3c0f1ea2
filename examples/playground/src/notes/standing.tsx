import type { Status } from '@deputy/client/fs'
import { useEffect, useState } from 'preact/hooks'
import type { SessionView } from '../account/session.tsx'
import { Problem } from '../kit/demo.tsx'
import { useOnline } from '../rooms/use-online.ts'
import { ask, follow } from './standing-code.ts'
import { lineOf } from './status-words.ts'

/** How notes and account stand, kept current. */
export function useStanding(): Status | null {
  const [status, setStatus] = useState<Status | null>(null)
  useEffect(() => follow(setStatus), [])
  return status
}

/** One quiet line, and what there is to do about it. */
export function Standing({ status, session, flush }: { readonly status: Status | null; readonly session: SessionView; readonly flush: () => Promise<void> }) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [answer, setAnswer] = useState('')
  const isOnline = useOnline()
  const run = (deed: () => Promise<unknown>) => async () => {
    setBusy(true)
    setError(null)
    setAnswer('')
    await deed().catch(setError)
    setBusy(false)
  }
  if (status === null) return null
  const { tone, words, deed } = lineOf(status, isOnline)
  // What one has written is one's own: it is saved before anything changes hands.
  const signOut = run(async () => {
    await flush()
    await ask.signOut()
  })
  const adopt = run(async () => {
    if (!(await ask.adopt())) setAnswer('No notes were taken over.')
  })
  return (
    <header class="standing">
      <p class={`line ${tone}`} data-tone={tone}>
        {words}
      </p>
      <span class="unseen" role="status">
        {tone === 'care' ? words : answer}
      </span>
      <div class="row deeds">
        {answer === '' ? null : (
          <span class="status" aria-hidden="true">
            {answer}
          </span>
        )}
        {deed === 'unlock' ? (
          <button class="primary small" disabled={busy} onClick={() => void run(ask.unlock)()}>
            Unlock
          </button>
        ) : null}
        {deed === 'account' ? (
          <a class="button small" href={`${BROKER_ORIGIN}/account#files`}>
            Open my account
          </a>
        ) : null}
        {deed === 'sign-in' ? (
          <button class="primary small" disabled={busy} onClick={() => void run(ask.signIn)()}>
            Sign in to have them everywhere
          </button>
        ) : null}
        {session.account === null ? null : (
          <>
            <span class="status">
              Signed in as <strong>{session.account.name}</strong>
            </span>
            <button class="small" disabled={busy} onClick={() => void adopt()}>
              Take over earlier notes
            </button>
            <button class="small" disabled={busy} onClick={() => void signOut()}>
              Sign out
            </button>
          </>
        )}
      </div>
      {status.waiting === 0 ? null : <p class="hint">Changes of another account wait in this browser until it is signed in again: {status.waiting}.</p>}
      <Problem error={error} />
    </header>
  )
}
