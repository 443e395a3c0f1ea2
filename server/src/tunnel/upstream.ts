import { isIP } from 'node:net'
import { Agent, buildConnector } from 'undici'
import type { NoTarget, Policy } from './policy.ts'

/** A target the policy refuses, as an error on the way to it. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly code: NoTarget['code']
  constructor(code: NoTarget['code']) {
    super(code)
    this.code = code
  }
}

const keepAlive = 10_000
const headersTime = 120_000
const bodyTime = 300_000

/** The port of a url, or of its parts. */
export const portOf = ({ port, protocol }: { readonly port: string; readonly protocol: string }): number =>
  Number(port !== '' ? port : protocol === 'https:' ? 443 : 80)

/**
 * Connections to sites for one session; none is shared with another, since some sites tie a sign-in to a connection. Whatever asks, every
 * connection goes to an address that was checked when its name was resolved.
 */
export function upstreamOf(policy: Policy, connectTime: number): Agent {
  const connectorAt = (at?: number): buildConnector.connector =>
    buildConnector({
      allowH2: true,
      timeout: connectTime,
      autoSelectFamily: true,
      lookup: (name, options, answer) => {
        policy.targets(name, options.family === 4 || options.family === 6 ? options.family : 0, at).then(
          targets => {
            if ('code' in targets) return answer(new Refused(targets.code), [])
            if (options.all === true) answer(null, [...targets])
            else answer(null, targets[0]?.address ?? '', targets[0]?.family)
          },
          (error: Error) => answer(error, []),
        )
      },
    })
  const common = connectorAt()
  return new Agent({
    allowH2: true,
    connections: 32,
    keepAliveTimeout: keepAlive,
    headersTimeout: headersTime,
    bodyTimeout: bodyTime,
    connect: (options, done) => {
      const host = options.hostname.replace(/^\[|\]$/g, '')
      const port = portOf(options)
      // A literal address is never looked up.
      if (!policy.mayConnect(port) || (isIP(host) !== 0 && !policy.mayReach(host, port))) return done(new Refused('EACCES'), null)
      // A connector is not told the port it resolves a name for.
      const connect = policy.hasPlaces(port) ? connectorAt(port) : common
      connect(options, done)
    },
  })
}
