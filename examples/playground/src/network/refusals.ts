import { clock } from '../kit/format.ts'

/** What went wrong, and the way out. */
export interface Trouble {
  readonly code: string
  readonly what: string
  readonly wayOut: string
}

/** What was tried, where the same code means something else. */
export type Tried = 'reach' | 'listen'

const dayLength = 86_400_000
/** When the day of the quota ends: at midnight UTC. */
export const dayEnd = (now = Date.now()): number => (Math.floor(now / dayLength) + 1) * dayLength

const troubles: Readonly<Record<string, readonly [what: string, wayOut: string]>> = {
  EACCES: [
    'The tunnel does not go there: the address is not public, or its port is closed to it.',
    'Name a public host and another port. Who runs the server may allow a private one (DEPUTY_TUNNEL_ALLOW).',
  ],
  EADDRINUSE: ['Somebody listens at this port already.', 'Leave the port empty, and a free one is taken.'],
  EADDRNOTAVAIL: ['The node does not have this address.', 'Leave the address to the node.'],
  ECONNREFUSED: ['Nobody listens at this port.', 'Look whether the server there runs, and at the port.'],
  ECONNRESET: ['The other side broke the connection off.', 'Try again.'],
  EHOSTUNREACH: ['The node knows no way to this host.', 'Try another host, or an address of the other family.'],
  EMSGSIZE: ['This is too long for one datagram.', 'Send less at once.'],
  ENETUNREACH: ['The node knows no way to this network.', 'Try an address of the other family.'],
  ENOTFOUND: ['There is no such name.', 'Look at the spelling.'],
  EPIPE: ['Your half of the connection has ended.', 'Connect again to say more.'],
  ETUNNEL: ['The tunnel was lost and could not be resumed.', 'Try again: a new one is made by itself.'],
  aborted: ['You broke it off.', ''],
  invalid: ['This url, address or method cannot be used.', 'Look at what stands in the fields.'],
  timeout: ['The other side did not answer in time.', 'Try again; if it stays silent, host or port are wrong, or something between drops what is sent.'],
  unavailable: ['The node is out of reach, or the site does not speak HTTP or has no valid certificate.', 'Look whether you are online, then at the url.'],
}
const nodes: Readonly<Record<string, string>> = {
  EDQUOT: 'quota',
  EINVAL: 'invalid',
  ENETDOWN: 'unavailable',
  ETIMEDOUT: 'timeout',
  ECANCELED: 'aborted',
  ABORT_ERR: 'aborted',
}

/** The code of an error: the tunnel's own word where Node's has several meanings. */
function codeOf(error: unknown): string {
  const { code, cause, name } = error as { code?: unknown; cause?: { error?: unknown; code?: unknown }; name?: unknown }
  const said = [cause?.error, cause?.code, code].find(one => typeof one === 'string') ?? (name === 'AbortError' ? 'aborted' : '')
  return nodes[said] ?? said
}

/** An error in words. `isSignedIn` tells apart what is denied to strangers from what the person denied. */
export function troubleOf(error: unknown, isSignedIn: boolean, tried: Tried = 'reach', now = Date.now()): Trouble {
  const code = codeOf(error)
  if (code === 'denied') {
    if (!isSignedIn) return { code, what: 'The tunnel belongs to an account, and nobody is signed in here.', wayOut: 'Sign in above.' }
    return {
      code,
      what: 'You said no to connections of this page, or took the permission back, or too many are open.',
      wayOut: 'Close some, try again, and allow it when your broker asks.',
    }
  }
  if (code === 'quota') {
    const wayOut = `All works again from ${clock(dayEnd(now))} (midnight UTC); until then what is open is slow.`
    return { code, what: 'Your account has used up what it may today.', wayOut }
  }
  if (code === 'EACCES' && tried === 'listen')
    return {
      code,
      what: 'This server lets nobody listen, or not at this port.',
      wayOut: 'Leave the port empty, or take one above 1023. Who runs the server may name addresses (DEPUTY_TUNNEL_LISTEN).',
    }
  const known = troubles[code]
  if (known !== undefined) return { code, what: known[0], wayOut: known[1] }
  return { code, what: error instanceof Error ? error.message : 'Something went wrong.', wayOut: '' }
}
