import type { Consent } from '../consent/consent.ts'
import { hostOfAddress } from '../consent/rows.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Opened } from '../tunnel/link.ts'
import { refused, type TunnelFail } from '../tunnel/refused.ts'
import type { LiveSockets, SocketNeed } from './live-sockets.ts'

/** Whether an app may open sockets. The person is asked at the first need of an app, and what they take back ends its sockets. */
export interface Allowance {
  /** Asks where nothing was answered yet; undefined means yes. An account is needed before anybody is asked. */
  ask(key: SocketNeed['key'], address: string): Promise<TunnelFail | Allowed>
}

/** A yes, for a moment: what is opened under it is watched from then on. */
export interface Allowed {
  readonly need: SocketNeed
  /** Counts and watches what was opened; cut at once if the yes was taken back meanwhile. */
  watch(opened: Opened['stream']): ReturnType<LiveSockets['watch']>
}

/** Makes the allowance of one frame. */
export function allowanceOf({
  sessions,
  consent,
  sockets,
}: {
  readonly sessions: Pick<Sessions, 'current'>
  readonly consent: Pick<Consent, 'askSockets' | 'granted' | 'onChange'>
  readonly sockets: LiveSockets
}): Allowance {
  // What was found to be granted since the last change: a store need not be asked for every connection.
  let known = new Set<string>()
  let changes = 0
  const holds = (need: SocketNeed): Promise<boolean> => consent.granted(need)
  consent.onChange(() => {
    known = new Set()
    changes += 1
    void sockets.cutUnless(holds)
  })
  return {
    ask: async (key, address) => {
      const host = hostOfAddress(address)
      if (host === undefined) return refused('badAddress')
      if ((await sessions.current()) === null) return refused('needsAccount')
      const need = { key, host }
      const name = `${key} ${host}`
      const before = changes
      if (!known.has(name)) {
        if (!(await holds(need)) && !(await consent.askSockets(host))) return refused('notAllowed')
        if (changes === before) known.add(name)
      }
      const asked = changes
      return {
        need,
        watch: stream => {
          const tally = sockets.watch(stream, need)
          if (changes !== asked) void sockets.cutUnless(holds)
          return tally
        },
      }
    },
  }
}
