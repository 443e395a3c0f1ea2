import * as account from '@deputy/client/account'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { Demo, Problem } from '../kit/demo.tsx'
import { signIn } from './sign-in-code.ts'
import code from 'raw:./sign-in-code.ts'

export interface SessionView {
  readonly status: 'loading' | 'signed-in' | 'signed-out' | 'unknown'
  readonly account: account.Account | null
  readonly refresh: () => Promise<void>
}

/** The account, kept current. `unknown` is not `signed-out`: the broker could not be asked. */
export function useSession(): SessionView {
  const [view, setView] = useState<Omit<SessionView, 'refresh'>>({ status: 'loading', account: null })
  const refresh = useCallback(async () => {
    try {
      const current = await account.info()
      setView({ status: current === null ? 'signed-out' : 'signed-in', account: current })
    } catch {
      setView({ status: 'unknown', account: null })
    }
  }, [])
  useEffect(() => {
    void refresh()
    const registration = account.onChange(() => void refresh())
    registration.catch(() => undefined)
    return () => void registration.then(off => off()).catch(() => undefined)
  }, [refresh])
  return { ...view, refresh }
}

export function Session({ status, account: person, refresh }: SessionView) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const run = async (action: () => Promise<unknown>) => {
    setBusy(true)
    setError(null)
    try {
      await action()
    } catch (caught) {
      setError(caught)
    }
    await refresh()
    setBusy(false)
  }
  return (
    <Demo
      title="Sign in"
      lead="The person signs in at the broker, in a window of its own, and connects this page. The page never sees a password, a passkey or an account id."
      code={code}
    >
      {person === null ? (
        <div class="row">
          <button class="primary" disabled={busy || status === 'loading'} onClick={() => void run(signIn)}>
            {busy ? 'Waiting for you…' : 'Sign in'}
          </button>
          <span class="status" role="status">
            {status === 'loading' ? 'Asking the broker…' : status === 'unknown' ? 'The broker cannot be reached.' : 'Nobody is signed in here.'}
          </span>
        </div>
      ) : (
        <div class="row person">
          {person.image === null ? (
            <span class="face" aria-hidden="true">
              {person.name.slice(0, 1).toUpperCase()}
            </span>
          ) : (
            <img class="face" src={person.image} alt="" />
          )}
          <span class="status" role="status">
            Signed in as <strong>{person.name}</strong>
            {person.premium ? <span class="badge">premium</span> : null}
          </span>
          <button disabled={busy} onClick={() => void run(account.logout)}>
            Sign out
          </button>
        </div>
      )}
      <Problem error={error} />
    </Demo>
  )
}
