import { isIP, type Socket } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { lend } from './lent.ts'
import type { NoTarget, Policy } from './policy.ts'
import { readMemory, readsInto } from './reads.ts'

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
/** Bytes of an answer that may wait to be read: more than one piece of memory, so that a socket does not stop after each. */
const unread = 256 * 1024

/** The port of a url, or of its parts. */
export const portOf = ({ port, protocol }: { readonly port: string; readonly protocol: string }): number =>
  Number(port !== '' ? port : protocol === 'https:' ? 443 : 80)

/**
 * Connections to sites for one session; none is shared with another, since some sites tie a sign-in to a connection. Whatever asks, every
 * connection goes to an address that was checked when its name was resolved.
 */
export function upstreamOf(policy: Policy, connectTime: number): Agent {
  const connectorAt = (at?: number, reading: object = {}): buildConnector.connector =>
    buildConnector({
      ...reading,
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
  const memory = readMemory()
  /** Connects without TLS, and reads into memory that is used again: new memory for every chunk costs a node more than all the rest of passing a body on. */
  const plainly = (at?: number): buildConnector.connector => {
    let socket: Socket | undefined
    const { onread, closed } = readsInto(memory, (bytes, giveBack) => {
      if (giveBack !== undefined) lend(bytes, giveBack)
      return socket?.push(bytes) === true
    })
    const connect = connectorAt(at, { onread, highWaterMark: unread })
    return (options, done) =>
      connect(options, (...answer: buildConnector.Callback extends (...args: infer Args) => void ? Args : never) => {
        socket = answer[1] as Socket
        socket?.once('close', closed)
        done(...answer)
      })
  }
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
      const at = policy.hasPlaces(port) ? port : undefined
      const connect = options.protocol === 'http:' ? plainly(at) : at === undefined ? common : connectorAt(at)
      connect(options, done)
    },
  })
}
