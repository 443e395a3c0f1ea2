import type { Route, RouteAnswer, RouteBody } from '@deputy/contract/api'
import type { AccountPinOptions } from '@deputy/contract/fs'
import type { SiteConfig } from '@deputy/contract/site-config'
import type { AppKeys } from '@deputy/seal'
import type { Sessions, SessionCallOptions } from '../sessions/sessions.ts'
import type { FileKeys } from './file-keys.ts'
import type { Pins } from './pins.ts'
import { refusal, refusalBy } from './refused.ts'

/** Whom one call acts for, from its beginning to its end: another account's session is never used for it. */
export interface Actor {
  /** Account id. */
  readonly account: string
  /** Origin of the HTTP API. */
  readonly api: string
  /** What it means to the app that the account's session is over. */
  readonly over: 'accountChanged' | 'needsAccount'
  /** The token to send with now; null once another account acts, or none. */
  token(): Promise<string | null>
  /** Calls a route. @throws {RemoteError} the refusal */
  call<R extends Route>(route: R, body: RouteBody<R>, options?: Omit<SessionCallOptions, 'account'>): Promise<RouteAnswer<R>>
}

/** An actor that holds the app's keys. */
export interface KeyedActor extends Actor {
  readonly keys: AppKeys
}

/** What finding the actor needs. */
export interface ActingNeeds {
  readonly site: () => Promise<SiteConfig | null>
  readonly sessions: Sessions
  readonly pins: Pins
  readonly keys: FileKeys
}

/** Finds whom a call acts for. */
export interface Acting {
  /** The pin comes first: whatever else is wrong with a call is not told to a page that waits for another account. @throws {RemoteError} */
  begin(options: AccountPinOptions | undefined): Promise<Actor>
  /** The same actor with the app's keys. @throws {RemoteError} `locked` */
  keyed(actor: Actor): Promise<KeyedActor>
}

export function actingOf({ site, sessions, pins, keys }: ActingNeeds): Acting {
  const accountOf = async (pin: string | undefined): Promise<string> => {
    if (pin !== undefined) {
      const check = await pins.check(pin)
      if (check.kind === 'changed') throw refusal('accountChanged')
      if (check.kind === 'nobody') throw refusal('needsAccount')
      return check.account
    }
    const session = await sessions.current()
    if (session === null) throw refusal('needsAccount')
    return session.account.id
  }

  return {
    begin: async options => {
      const pin = options?.accountPin
      const account = await accountOf(pin)
      const config = await site()
      if (config === null) throw refusal('unavailable')
      const over = pin === undefined ? 'needsAccount' : 'accountChanged'
      return {
        account,
        api: config.api,
        over,
        token: async () => {
          const held = await sessions.acting()
          return held?.account.id === account ? held.token : null
        },
        call: async (route, body, rules) => {
          const outcome = await sessions.call(route, body, { ...rules, account })
          if (outcome.kind === 'answer') return outcome.value
          throw refusalBy(outcome, over)
        },
      }
    },
    keyed: async actor => {
      const held = await keys.of(actor.account)
      if (held === null) throw refusal('locked')
      return { ...actor, keys: held }
    },
  }
}
