import { apiAt, type Api } from '../api/api.ts'
import { keepSession, type Sessions } from '../sessions/sessions.ts'
import { tabNews } from '../sessions/tab-news.ts'
import { accountKeys, type AccountKeys } from '../keys/account-keys.ts'
import { keyShelf } from '../keys/key-shelf.ts'
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
  /** The account's keys; they go with its session. */
  readonly keys: AccountKeys
}

/** Composes the services of a top-level window. */
export async function ownWindow(): Promise<OwnWindow> {
  const site = keptSite(readSite)
  const api = async (): Promise<Api | null> => {
    const config = await site()
    return config === null ? null : apiAt(config.api)
  }
  const store = await openStore()
  const sessions = keepSession({ api, store, key: 'session:account', news: tabNews() })
  const keys = accountKeys({ sessions, shelf: keyShelf(store) })
  sessions.onChange(({ switched }) => {
    if (switched) void keys.dropOthers()
  })
  void keys.dropOthers()
  return { site, api, sessions, keys }
}

/** The flow of the sign-in window. */
export function signInPage(realm: Window, { site, api, sessions, keys }: OwnWindow): SignInFlow {
  return signInFlow({
    site,
    ways: async () => {
      const call = await api()
      return call === null ? null : waysOver(call)
    },
    sessions,
    keys,
    meet: () => meetOpener(realm),
    trip: tripOf(realm),
    close: () => realm.close(),
  })
}
