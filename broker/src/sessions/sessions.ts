import { session as sessionShape, type Route, type RouteAnswer, type RouteBody } from '@deputy/contract/api'
import { endSession, renewSession } from '@deputy/contract/api-sessions'
import type { AccountChange } from '@deputy/contract/account'
import type { Received } from '@deputy/contract/shape'
import { fits } from '@deputy/contract/validate'
import { wait, type Api, type CallOptions, type Outcome } from '../api/api.ts'
import type { Store } from '../store/store.ts'
import { unlessRunning } from './exclusive.ts'
import type { TabNews } from './tab-news.ts'

/** A session as it is kept; its token never leaves the broker's realms but in the header of a call. */
export type Session = Received<typeof sessionShape>

/** How a session's call is made; `account`, where given, is the only one (its id) to call for: for another there is no session. */
export type SessionCallOptions = Omit<CallOptions, 'token'> & { readonly account?: string | undefined }

/** The one session kept under a key: of an app in its frames, of the account in top-level windows. */
export interface Sessions {
  /** The session held now, without asking anybody. */
  current(): Promise<Session | null>
  /** The session to act with now; its renewal is begun where it is due, and nobody waits for it. */
  acting(): Promise<Session | null>
  /** Calls a route as the session. `unauthorized` when there is none, or when it has just turned out to be over. */
  call<R extends Route>(route: R, body: RouteBody<R>, options?: SessionCallOptions): Promise<Outcome<RouteAnswer<R>>>
  /** Takes a session the service handed out in place of the one held. */
  adopt(session: Session): Promise<void>
  /** Signs out here at once and tells the service, waiting at most a few seconds for it. */
  end(): Promise<void>
  /** Called with every change, also those other tabs made. `switched` says that the acting account is another one. Answers the end of it. */
  onChange(listener: (change: AccountChange) => void): () => void
  /** Work that still needs the session's token: `end` gives it a moment before the service ends the session. */
  lastWork(work: Promise<unknown>): void
}

/** What keeping a session needs. */
export interface SessionsNeeds {
  readonly api: () => Promise<Api | null>
  readonly store: Store
  readonly key: string
  readonly news: TabNews
  readonly now?: () => number
}

const unauthorized = { kind: 'unauthorized' } as const
const unreachable = { kind: 'unreachable' } as const
const lastWorkMs = 2000

/** Keeps one session: renews it once due, notices its end, and tells of changes in every tab of the partition. */
export function keepSession({ api, store, key, news, now = Date.now }: SessionsNeeds): Sessions {
  const listeners = new Set<(change: AccountChange) => void>()
  const finishing = new Set<Promise<unknown>>()
  let known: Session | null = null

  const current = async (): Promise<Session | null> => {
    const value = await store.get(key)
    return fits(sessionShape, value) ? (value as Session) : null
  }

  // One observation at a time, so that two quick changes are told in their order.
  let observed: Promise<void> = current().then(session => {
    known = session
  })
  const observe = (): Promise<void> => {
    observed = observed.then(async () => {
      const before = known
      known = await current()
      if (before?.token === known?.token) return
      const change = { switched: before?.account.id !== known?.account.id }
      for (const listener of [...listeners]) listener(change)
    })
    return observed
  }
  const changed = async (): Promise<void> => {
    news.tell(key)
    await observe()
  }
  news.listen(subject => {
    if (subject === key) void observe()
  })

  const replace = async (token: string, next: Session | undefined): Promise<void> => {
    await observed
    await store.update(key, value => ((value as Session | undefined)?.token === token ? next : value))
    await changed()
  }

  const renew = async (): Promise<void> => {
    const held = await current()
    const call = await api()
    if (held === null || call === null || now() < held.renewAt) return
    // The answer may be lost after the service renewed: the old token can then ask again for a minute.
    const outcome = await call(renewSession, {}, { token: held.token, deadline: 30_000, repeatable: true })
    if (outcome.kind === 'answer') await replace(held.token, outcome.value)
    if (outcome.kind === 'unauthorized') await replace(held.token, undefined)
  }

  const acting = async (): Promise<Session | null> => {
    const held = await current()
    // The token held stays good for a minute after its renewal.
    if (held !== null && now() >= held.renewAt) void unlessRunning(`deputy/renew/${key}`, renew)
    return held
  }

  const call: Sessions['call'] = async (route, body, options) => {
    const [held, send] = await Promise.all([acting(), api()])
    if (held === null || (options?.account !== undefined && held.account.id !== options.account)) return unauthorized
    if (send === null) return unreachable
    const outcome = await send(route, body, { ...options, token: held.token })
    if (outcome.kind !== 'unauthorized') return outcome
    const latest = await current()
    if (latest !== null && latest.token !== held.token && latest.account.id === held.account.id) return send(route, body, { ...options, token: latest.token })
    await replace(held.token, undefined)
    return unauthorized
  }

  return {
    current,
    acting,
    call,
    adopt: async session => {
      await observed
      await store.set(key, session)
      await changed()
    },
    end: async () => {
      const held = await current()
      if (held === null) return
      await replace(held.token, undefined)
      await Promise.race([Promise.allSettled(finishing), wait(lastWorkMs)])
      const send = await api()
      await send?.(endSession, {}, { token: held.token, deadline: 3000, keepalive: true })
    },
    onChange: listener => {
      const own = (change: AccountChange): void => listener(change)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    lastWork: work => {
      finishing.add(work)
      const forget = (): void => void finishing.delete(work)
      work.then(forget, forget)
    },
  }
}
