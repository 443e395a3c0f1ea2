import { apiAt, type Api } from '../api/api.ts'
import { keepSession, type Sessions } from '../sessions/sessions.ts'
import { tabNews } from '../sessions/tab-news.ts'
import { keptSite, readSite } from '../site.ts'
import { openStore } from '../store/open-store.ts'
import { signInFlow } from './flow.ts'
import { meetOpener } from './opener.ts'
import { tripOf } from './provider-trip.ts'
import type { SignInFlow } from './state.ts'
import type { SiteConfig } from '@deputy/contract/site-config'
import { waysOver } from './ways.ts'

/** What a top-level window of the broker stands on: the account's own session and the service. */
export interface OwnWindow {
  readonly site: () => Promise<SiteConfig | null>
  /** Null while the service cannot be reached. */
  readonly api: () => Promise<Api | null>
  /** The account session of this browser; `call` answers account routes. */
  readonly sessions: Sessions
}

/** Composes the services of a top-level window. */
export async function ownWindow(): Promise<OwnWindow> {
  const site = keptSite(readSite)
  const api = async (): Promise<Api | null> => {
    const config = await site()
    return config === null ? null : apiAt(config.api)
  }
  return { site, api, sessions: keepSession({ api, store: await openStore(), key: 'session:account', news: tabNews() }) }
}

/** The flow of the sign-in window. */
export function signInPage(realm: Window, { site, api, sessions }: OwnWindow): SignInFlow {
  return signInFlow({
    site,
    ways: async () => {
      const call = await api()
      return call === null ? null : waysOver(call)
    },
    sessions,
    meet: () => meetOpener(realm),
    trip: tripOf(realm),
    close: () => realm.close(),
  })
}
