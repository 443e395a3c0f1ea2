import { appConnected, authorizeApp } from '@deputy/contract/api-apps'
import type { SiteConfig } from '@deputy/contract/site-config'
import { identify, type AppIdentity } from '../app-identity.ts'
import type { AccountKeys } from '../keys/account-keys.ts'
import { keyWalk, type KeyWalkNeeds } from '../keys/walk.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Opener, Opening } from './opener.ts'
import type { ProviderTrip } from './provider-trip.ts'
import type { Problem, Profile, SignInFlow, SignInState, SignInStep } from './state.ts'
import { tried, type Tried } from './tried.ts'
import type { SignedIn, Ways } from './ways.ts'

/** What the flow stands on; `signInPage` gives the real ones. */
export interface SignInNeeds {
  readonly site: () => Promise<SiteConfig | null>
  readonly ways: () => Promise<Ways | null>
  /** The account session of this browser. */
  readonly sessions: Sessions
  readonly keys: AccountKeys
  /** How passkeys are asked for their secret and made; the browser's unless said. */
  readonly passkeys?: KeyWalkNeeds['passkeys']
  readonly meet: () => Promise<Opening>
  readonly trip: ProviderTrip
  /** Closes the window. */
  readonly close: () => void
}

const calm = { busy: false, problem: null } as const

/**
 * The steps of the sign-in window: who are you, then, where it was opened for an app, may this app use the account. A person who
 * is signed in and connected the app before is asked nothing, unless they signed out of the app since. In between come the steps
 * about keys: a recovery code to keep, and where the app needs them, keys to make or to open.
 */
export function signInFlow({ site, ways, sessions, keys, passkeys, meet, trip, close }: SignInNeeds): SignInFlow {
  const listeners = new Set<() => void>()
  let state: SignInState = { step: 'starting', app: null }
  let opener: Opener | null = null
  let app: AppIdentity | null = null
  let emailCeremony = ''
  let returned: ReturnType<ProviderTrip['returned']> = null

  const show = (step: SignInStep): void => {
    state = { ...step, app }
    for (const listener of [...listeners]) listener()
  }
  const at = (...steps: SignInStep['step'][]): boolean => steps.includes(state.step) && !('busy' in state && state.busy)
  const walk = keyWalk({ keys, sessions, show, standing: () => (at(state.step) ? state : null), ...(passkeys === undefined ? {} : { passkeys }) })
  const unlocking = (): boolean => opener?.request.purpose === 'unlock'

  const choose = async (problem: Problem | null = null): Promise<void> => {
    const providers = (await site())?.providers ?? []
    show({ step: 'choose', providers, busy: false, problem })
  }

  const authorize = async (account: Profile, connected: boolean): Promise<void> => {
    if (opener === null || app === null) return
    if (unlocking() && connected && opener.request.account === account.id) {
      // The frame's session is good; all it lacked were the keys.
      await opener.allow(null, await keys.appKeys(app.id))
      show({ step: 'done', account })
      return close()
    }
    show({ step: 'allow', account, connected, busy: true, problem: null })
    const outcome = await sessions.call(authorizeApp, { app: app.id, challenge: opener.request.challenge }, { deadline: 20_000 })
    if (outcome.kind === 'unauthorized') return choose('expired')
    const { value, problem } = tried(outcome)
    if (problem !== null) return show({ step: 'allow', account, connected, busy: false, problem })
    await opener.allow(value.code, await keys.appKeys(app.id))
    show({ step: 'done', account })
    close()
  }

  /** On with an account: to the app's question, or to the end. `fresh` when the person has just said who they are. */
  const proceed = async (account: Profile, fresh: boolean): Promise<void> => {
    if (opener === null || app === null) return show({ step: 'done', account })
    const outcome = await sessions.call(appConnected, { app: app.id })
    if (outcome.kind === 'unauthorized') return choose()
    const { value, problem } = tried(outcome)
    const connected = value?.connected === true
    if (connected && (fresh || !opener.request.choose)) return authorize(account, connected)
    show({ step: 'allow', account, connected, busy: false, problem })
  }

  const welcome = async (arrived: SignedIn): Promise<void> => {
    const { session } = arrived
    await sessions.adopt(session)
    await walk.settle(session.account, arrived, unlocking(), () => proceed(session.account, true))
  }

  const enter = async (): Promise<void> => {
    show({ step: 'starting' })
    const way = await ways()
    if (way === null) return show({ step: 'unreachable' })
    if (returned !== null) {
      const { ceremony, url } = returned
      returned = null
      const { value, problem } = await way.finishProvider(ceremony, url)
      return problem === null ? welcome(value) : choose(problem)
    }
    const held = await sessions.current()
    if (held === null) await choose()
    else await walk.settle(held.account, null, unlocking(), () => proceed(held.account, false))
  }

  const start = async (): Promise<void> => {
    // First of all, because it puts the window's own url back.
    returned = trip.returned()
    const opening = await meet()
    if (opening.kind === 'cut-off') return show({ step: 'cut-off' })
    if (opening.kind === 'opener') {
      opener = opening.opener
      app = identify(opener.request.app)
    }
    await enter()
  }

  /** Runs one try of a step that waits for the person; a second one meanwhile, or in another step, is ignored. */
  const attempt = async <T>(step: SignInStep['step'], run: (way: Ways) => Promise<Tried<T>>, then: (value: T) => Promise<void> | void): Promise<void> => {
    if (state.step !== step || !('busy' in state) || state.busy) return
    const before = state
    show({ ...before, busy: true, problem: null })
    const way = await ways()
    const { value, problem } = way === null ? ({ value: null, problem: 'unreachable' } as const) : await run(way)
    if (problem !== null) return problem === 'expired' ? choose(problem) : show({ ...before, busy: false, problem })
    await then(value)
  }

  void start()
  return {
    get state() {
      return state
    },
    subscribe: listener => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    actions: {
      signInWithPasskey: () => attempt('choose', way => way.passkey(), welcome),
      signUp: name => attempt('choose', way => way.newAccount(name.trim()), welcome),
      sendEmail: email =>
        attempt(
          'choose',
          way => way.sendEmail(email.trim()),
          ceremony => {
            emailCeremony = ceremony
            show({ step: 'email-code', email: email.trim(), ...calm })
          },
        ),
      enterEmailCode: (code, name) =>
        attempt('email-code', way => way.emailCode(emailCeremony, code.replaceAll(/\s/g, ''), name?.trim() || undefined), welcome),
      showRecovery: () => {
        if (at('choose')) show({ step: 'recovery', ...calm })
      },
      recover: code => attempt('recovery', way => way.recoveryCode(code.trim()), welcome),
      useProvider: id =>
        attempt(
          'choose',
          way => way.beginProvider(id),
          ({ ceremony, url }) => trip.leave(ceremony, url),
        ),
      ...walk.actions,
      back: () => {
        if (at('email-code', 'recovery')) void choose()
        else walk.actions.back()
      },
      allow: async () => {
        if (state.step === 'allow' && !state.busy) await authorize(state.account, state.connected)
      },
      refuse: () => {
        if (opener === null || !at('choose', 'email-code', 'recovery', 'allow', 'unlock', 'enrol')) return
        opener.refuse()
        show({ step: 'done', account: null })
        close()
      },
      useAnotherAccount: async () => {
        if (!at('allow', 'unlock', 'enrol')) return
        show({ step: 'starting' })
        await sessions.end()
        await choose()
      },
      retry: async () => {
        if (at('unreachable')) await enter()
      },
      continueWithoutApp: async () => {
        if (at('cut-off')) await enter()
      },
    },
  }
}
