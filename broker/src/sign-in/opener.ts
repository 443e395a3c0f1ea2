import type { AppKeys } from '@deputy/seal'
import { wait } from '../api/api.ts'
import { forApp, hearFrame, tell, type ConnectRequest, type Partner } from '../connecting/messages.ts'

/** The frame that opened this window, once it has proven to be the broker's own. */
export interface Opener {
  readonly request: ConnectRequest
  /** Hands the code over, and the app's keys where there are any; resolves once it was heard, or after a moment. */
  allow(code: string | null, keys: AppKeys | null): Promise<void>
  refuse(): void
}

/** Whether the window was opened on its own, for an app that answered, or for an app that cannot be heard. */
export type Opening = { readonly kind: 'alone' } | { readonly kind: 'cut-off' } | { readonly kind: 'opener'; readonly opener: Opener }

const helloEvery = 200
const patience = 8000

/** Finds out for whom this window was opened. The app's origin is what the opener frame says, never what the url says. */
export async function meetOpener(realm: Window): Promise<Opening> {
  if (realm.location.hash !== forApp) return { kind: 'alone' }
  const target = realm.opener as Window | null
  if (target === null) return { kind: 'cut-off' }
  const partner: Partner = { target, origin: realm.location.origin, realm }
  const request = await ask(partner)
  if (request === null) return { kind: 'cut-off' }
  return {
    kind: 'opener',
    opener: {
      request,
      refuse: () => tell(partner, { type: 'deputy:refused' }),
      allow: (code, keys) =>
        new Promise(resolve => {
          const end = (): void => {
            silence()
            resolve()
          }
          const silence = hearFrame(partner, message => message.type === 'deputy:heard' && end())
          void wait(2000).then(end)
          tell(partner, { type: 'deputy:allowed', code, keys })
        }),
    },
  }
}

async function ask(partner: Partner): Promise<ConnectRequest | null> {
  const answered = new AbortController()
  let request: ConnectRequest | null = null
  const silence = hearFrame(partner, message => {
    if (message.type !== 'deputy:request') return
    request = message
    answered.abort()
  })
  for (let spent = 0; spent < patience && !answered.signal.aborted; spent += helloEvery) {
    tell(partner, { type: 'deputy:hello' })
    await wait(helloEvery, answered.signal)
  }
  silence()
  return request
}
