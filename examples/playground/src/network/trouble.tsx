import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { troubleOf, type Tried } from './refusals.ts'

/** Whether somebody is signed in to this page. */
export const SignedIn = createContext(false)

/** What went wrong, by its code, and the way out. */
export function Trouble({ error, tried }: { readonly error: unknown; readonly tried?: Tried }) {
  const isSignedIn = useContext(SignedIn)
  if (error === null || error === undefined) return null
  const { code, what, wayOut } = troubleOf(error, isSignedIn, tried)
  return (
    <p class="problem" role="alert">
      {code === '' ? null : <code>{code}</code>} {what} {wayOut}
    </p>
  )
}
