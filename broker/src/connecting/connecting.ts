import { redeemApp } from '@deputy/contract/api-apps'
import type { AppIdentity } from '../app-identity.ts'
import { wait, type Api } from '../api/api.ts'
import type { Prompts } from '../prompts.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Store } from '../store/store.ts'
import { deviceName } from './device.ts'
import { forApp, hearWindow, tell, type Partner } from './messages.ts'
import { makeProof, type Proof } from './pkce.ts'

/** Why the person is asked: both end with a session of the app. */
export type Purpose = 'sign-in' | 'connect'

/** Gets the app a session, asking the person. */
export interface Connecting {
  /** True once the app has a session: at once when it has one, else after the person allowed it; false when they did not. */
  connect(purpose: Purpose): Promise<boolean>
}

/** What connecting needs. */
export interface ConnectingNeeds {
  readonly app: AppIdentity
  readonly api: () => Promise<Api | null>
  readonly sessions: Sessions
  readonly store: Store
  readonly prompts: Prompts
  /** The frame's window; the sign-in window is opened from it. */
  readonly realm: Window
}

const patience = 10 * 60_000
const closedPoll = 300
const features = 'popup,width=480,height=680'

/** Set by a sign-out, so that the next sign-in asks which account to use. */
export const chooseKey = (app: AppIdentity): string => `choose:${app.id}`

/** Connecting of one app in one frame: one card and one window at a time, equal requests share them. */
export function connectingOf({ app, api, sessions, store, prompts, realm }: ConnectingNeeds): Connecting {
  let running: Promise<boolean> | undefined

  const open = (): Window | null => realm.open(`/sign-in${forApp}`, '', features)

  const redeem = async (code: string, { verifier }: Proof): Promise<boolean> => {
    const outcome = await (await api())?.(redeemApp, { code, verifier, app: app.id, device: deviceName() }, { deadline: 20_000 })
    if (outcome?.kind !== 'answer') {
      prompts.notice({ kind: 'sign-in-failed', app, reason: outcome?.kind === 'refused' ? 'refused' : 'unreachable' })
      return false
    }
    await store.delete(chooseKey(app))
    await sessions.adopt(outcome.value)
    prompts.notice({ kind: 'signed-in', app, name: outcome.value.account.name })
    return true
  }

  /** The window's code, or null when it was refused, closed or given up. */
  const converse = (partner: Partner, answer: { purpose: Purpose; proof: Proof; choose: boolean }, signal: AbortSignal): Promise<string | null> =>
    new Promise(resolve => {
      const ending = new AbortController()
      const end = (code: string | null): void => {
        ending.abort()
        silence()
        resolve(code)
      }
      const silence = hearWindow(partner, message => {
        if (message.type === 'deputy:hello') {
          const { purpose, proof, choose } = answer
          return tell(partner, { type: 'deputy:request', app: app.origin, purpose, challenge: proof.challenge, choose })
        }
        tell(partner, { type: 'deputy:heard' })
        end(message.type === 'deputy:allowed' ? message.code : null)
      })
      signal.addEventListener('abort', () => end(null), { signal: ending.signal })
      void whenClosed(partner.target, ending.signal).then(() => end(null))
    })

  const ask = async (purpose: Purpose): Promise<boolean> => {
    const giveUp = new AbortController()
    const ended = AbortSignal.any([giveUp.signal, AbortSignal.timeout(patience)])
    // Another tab may have signed in meanwhile: then nothing is left to ask.
    const forget = sessions.onChange(() => void sessions.current().then(held => held !== null && giveUp.abort()))
    let opened: Window | null = null
    try {
      const [proof, choose] = await Promise.all([makeProof(), store.get(chooseKey(app))])
      const outcome = await prompts.connect({ app, purpose, signal: ended, open: () => (opened = open()) })
      const target = opened as Window | null
      if (outcome !== 'opened' || target === null) return (await sessions.current()) !== null
      const lower = prompts.waiting({ app, cancel: () => giveUp.abort(), focus: () => target.focus() })
      const partner: Partner = { target, origin: realm.location.origin, realm }
      const code = await converse(partner, { purpose, proof, choose: choose === true }, ended)
      lower()
      if (ended.aborted) target.close()
      return code === null ? (await sessions.current()) !== null : await redeem(code, proof)
    } finally {
      forget()
    }
  }

  return {
    connect: async purpose => {
      if ((await sessions.current()) !== null) return true
      running ??= ask(purpose).finally(() => {
        running = undefined
      })
      return running
    },
  }
}

/** Resolves once the window was closed, or the signal fires. */
async function whenClosed(target: Window, signal: AbortSignal): Promise<void> {
  while (!target.closed && !signal.aborted) await wait(closedPoll, signal)
}
