import { redeemApp } from '@deputy/contract/api-apps'
import type { AppIdentity } from '../app-identity.ts'
import { wait, type Api } from '../api/api.ts'
import type { KeptKeys } from '../fs/file-keys.ts'
import { appKeysFrom } from '../keys/app-keys.ts'
import type { Prompts } from '../prompts.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Store } from '../store/store.ts'
import { deviceName } from './device.ts'
import { forApp, hearWindow, tell, type Partner } from './messages.ts'
import { makeProof, type Proof } from './pkce.ts'

/** Why the person is asked: all end with a session of the app, and to unlock with its keys too. */
export type Purpose = 'sign-in' | 'connect' | 'unlock'

/** Gets the app a session, or its keys, asking the person. */
export interface Connecting {
  /** True once the app has a session: at once when it has one, else after the person allowed it; false when they did not. */
  connect(purpose: Exclude<Purpose, 'unlock'>): Promise<boolean>
  /** True once the frame holds the newest keys: at once when it does, else after the person opened them in the window. */
  unlock(): Promise<boolean>
}

/** What connecting needs. */
export interface ConnectingNeeds {
  readonly app: AppIdentity
  readonly api: () => Promise<Api | null>
  readonly sessions: Sessions
  readonly store: Store
  /** Where keys go that the window hands over. */
  readonly keys: Pick<KeptKeys, 'keep' | 'state' | 'onChange'>
  readonly prompts: Prompts
  /** The frame's window; the sign-in window is opened from it. */
  readonly realm: Window
}

const patience = 10 * 60_000
const closedPoll = 300
const features = 'popup,width=480,height=680'

interface Asked {
  readonly purpose: Purpose
  readonly account: string | null
  readonly proof: Proof
  readonly choose: boolean
}
interface Allowed {
  readonly code: string | null
  readonly keys?: unknown
}

/** Set by a sign-out, so that the next sign-in asks which account to use. */
export const chooseKey = (app: AppIdentity): string => `choose:${app.id}`

/** Connecting of one app in one frame: one card and one window at a time, equal requests share them. */
export function connectingOf({ app, api, sessions, store, keys, prompts, realm }: ConnectingNeeds): Connecting {
  const running = new Map<'session' | 'keys', Promise<boolean>>()

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

  /** What the window allowed, or null when it was refused, closed or given up. */
  const converse = (partner: Partner, asked: Asked, signal: AbortSignal): Promise<Allowed | null> =>
    new Promise(resolve => {
      const ending = new AbortController()
      const end = (allowed: Allowed | null): void => {
        ending.abort()
        silence()
        resolve(allowed)
      }
      const silence = hearWindow(partner, message => {
        if (message.type === 'deputy:hello') {
          const { purpose, account, proof, choose } = asked
          return tell(partner, { type: 'deputy:request', app: app.origin, purpose, account, challenge: proof.challenge, choose })
        }
        tell(partner, { type: 'deputy:heard' })
        end(message.type === 'deputy:allowed' ? message : null)
      })
      signal.addEventListener('abort', () => end(null), { signal: ending.signal })
      void whenClosed(partner.target, ending.signal).then(() => end(null))
    })

  const take = async ({ code, keys: handed }: Allowed, proof: Proof): Promise<void> => {
    if (code !== null && !(await redeem(code, proof))) return
    const found = appKeysFrom(handed, app.id)
    if (found !== null) await keys.keep(found)
  }

  const ask = async (purpose: Purpose): Promise<boolean> => {
    const settled = async (): Promise<boolean> => (purpose === 'unlock' ? (await keys.state()).unlocked : (await sessions.current()) !== null)
    const giveUp = new AbortController()
    const ended = AbortSignal.any([giveUp.signal, AbortSignal.timeout(patience)])
    // Another tab may have done it meanwhile: then nothing is left to ask.
    const look = (): void => void settled().then(done => done && giveUp.abort())
    const forget = [sessions.onChange(look), keys.onChange(look)]
    let opened: Window | null = null
    try {
      const [proof, choose, held] = await Promise.all([makeProof(), store.get(chooseKey(app)), sessions.current()])
      const outcome = await prompts.connect({ app, purpose, signal: ended, open: () => (opened = open()) })
      const target = opened as Window | null
      if (outcome !== 'opened' || target === null) return await settled()
      const lower = prompts.waiting({ app, cancel: () => giveUp.abort(), focus: () => target.focus() })
      const partner: Partner = { target, origin: realm.location.origin, realm }
      const allowed = await converse(partner, { purpose, account: held?.account.id ?? null, proof, choose: choose === true }, ended)
      lower()
      if (ended.aborted) target.close()
      if (allowed !== null) await take(allowed, proof)
      return await settled()
    } finally {
      for (const end of forget) end()
    }
  }
  const once = (what: 'session' | 'keys', purpose: Purpose): Promise<boolean> => {
    const asking = running.get(what) ?? ask(purpose).finally(() => running.delete(what))
    running.set(what, asking)
    return asking
  }

  return {
    connect: async purpose => (await sessions.current()) !== null || once('session', purpose),
    unlock: async () => {
      await running.get('session')
      return (await keys.state()).unlocked || once('keys', 'unlock')
    },
  }
}

/** Resolves once the window was closed, or the signal fires. */
async function whenClosed(target: Window, signal: AbortSignal): Promise<void> {
  while (!target.closed && !signal.aborted) await wait(closedPoll, signal)
}
