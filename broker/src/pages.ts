/** One page of the broker: served under its name, made from its entry. */
export interface Page {
  readonly name: string
  readonly entry: string
  readonly title: string
}

/** Extension of our sources: they run as they are, or compiled. */
const compiled = import.meta.url.endsWith('.js')
const script = (path: string): string => `${path}.${compiled ? 'js' : 'ts'}`
const view = (path: string): string => `${path}.${compiled ? 'js' : 'tsx'}`

/** Every page the broker serves. */
export const pages: readonly Page[] = [
  { name: 'frame', entry: script('frame'), title: 'Deputy' },
  { name: 'sign-in', entry: view('ui/sign-in-page'), title: 'Sign in · Deputy' },
  { name: 'account', entry: view('ui/account-page'), title: 'Your account · Deputy' },
  { name: 'consent', entry: view('ui/consent-page'), title: 'Permission · Deputy' },
  { name: 'connect-button', entry: view('ui/connect-button-page'), title: 'Connect · Deputy' },
]

/** The worker that seals and uploads. */
export const sealWorker = script('seal-worker')
