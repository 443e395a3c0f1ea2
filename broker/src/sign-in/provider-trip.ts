import { forApp } from '../connecting/messages.ts'

/** Remembers, while the window is away at an outside provider, what it left for. */
export interface ProviderTrip {
  /** Leaves the window for the provider. */
  leave(ceremony: string, url: string): void
  /** On the way back: the ceremony and the url the provider sent the window to; told once. */
  returned(): { readonly ceremony: string; readonly url: string } | null
}

const key = 'deputy:provider'
const callback = ['state', 'code', 'error']

/** Trips of this window, kept in its own session storage. */
export function tripOf(realm: Window): ProviderTrip {
  return {
    leave: (ceremony, url) => {
      realm.sessionStorage.setItem(key, JSON.stringify({ ceremony, forApp: realm.location.hash === forApp }))
      realm.location.assign(url)
    },
    returned: () => {
      const { href, searchParams } = new URL(realm.location.href)
      if (!callback.some(name => searchParams.has(name))) return null
      const kept = realm.sessionStorage.getItem(key)
      realm.sessionStorage.removeItem(key)
      const left = kept === null ? null : (JSON.parse(kept) as { ceremony: string; forApp: boolean })
      // The provider's one-time code has no place in the address bar or the history.
      realm.history.replaceState(null, '', `/sign-in${left?.forApp === true ? forApp : ''}`)
      return left === null ? null : { ceremony: left.ceremony, url: href }
    },
  }
}
