import type { TcpSocketResult } from '@deputy/contract/webvpn'
import { isRefusal } from '@deputy/contract/refusals'
import { isIP } from './address.ts'
import { backend } from './backend.ts'
import type { BlockList } from './block-list.ts'
import { familyOf, type ConnectOptions, type Target } from './connect-options.ts'
import { codeOf, nodeError, systemError } from './errors.ts'
import { addressesOf, askLookup, unknownName, type LookupAddress } from './lookup.ts'
import { connectHere } from './loopback.ts'

/** Who connects: what its socket is told on the way, and whether it still waits. */
export interface Dialler {
  readonly target: Target
  readonly options: ConnectOptions
  readonly blockList: BlockList | undefined
  /** Whether somebody wants to hear of addresses. */
  readonly isHeard: boolean
  waits(): boolean
  tell(name: string, ...of: unknown[]): void
  /** Told where the addresses that are tried are written down, before the first of several is. */
  trying(addresses: string[]): void
}
interface Place {
  readonly address: string
  readonly family: 4 | 6
}

/** Connects to the first address of the target that answers; nothing once the socket does not wait any more. @throws {NodeError} */
export async function dial(dialler: Dialler): Promise<TcpSocketResult | undefined> {
  const places = await placesOf(dialler)
  const [first] = places
  if (!dialler.waits() || first === undefined) return undefined
  if (places.length > 1 && dialler.target.each !== undefined) return dialInTurn(dialler, places)
  const blocked = blockedBy(dialler, first)
  if (blocked !== undefined) throw blocked
  return attempt(dialler, first)
}

async function placesOf(dialler: Dialler): Promise<Place[]> {
  const { target, options, blockList } = dialler
  const { host, each } = target
  const kind = isIP(host)
  const family = familyOf(options.family)
  // The node resolves names itself; a trip of its own is made only for those who want to see the address.
  const isSeen = options.lookup || family !== undefined || blockList !== undefined || dialler.isHeard
  if (kind !== 0 || !isSeen) return [{ address: host, family: kind || 4 }]
  const hear = (error: unknown, { address, family: of }: Partial<LookupAddress> = {}): void => dialler.tell('lookup', error, address, of, host)
  try {
    const found = options.lookup
      ? await askLookup(options.lookup, host, options, each !== undefined, hear)
      : (await addressesOf(host, family)).slice(0, each === undefined ? 1 : undefined)
    if (!options.lookup) for (const one of found) hear(null, one)
    return placed(found, target)
  } catch (error) {
    if (!options.lookup) hear(error)
    throw error
  }
}

/** The addresses that can be tried, of both families in turn. */
function placed(found: readonly LookupAddress[], { host, port }: Target): Place[] {
  const places = found.filter(({ address, family }) => typeof address === 'string' && isIP(address) !== 0 && (family === 4 || family === 6))
  if (places.length === 0) {
    const { address, family } = found[0] ?? {}
    if (typeof address === 'string' && isIP(address) !== 0) {
      const wrong = nodeError('ERR_INVALID_ADDRESS_FAMILY', `Invalid address family: ${String(family)} ${host}:${port}`, RangeError)
      throw Object.assign(wrong, { host, port })
    }
    throw nodeError('ERR_INVALID_IP_ADDRESS', `Invalid IP address: ${String(address)}`, TypeError)
  }
  const first = places[0]?.family
  const once = places.filter(({ address }, at) => places.findIndex(other => other.address === address) === at)
  const [near, far] = [once.filter(({ family }) => family === first), once.filter(({ family }) => family !== first)]
  return Array.from({ length: Math.max(near.length, far.length) }, (_, at) => [near[at], far[at]].filter(place => place !== undefined)).flat()
}

async function dialInTurn(dialler: Dialler, places: readonly Place[]): Promise<TcpSocketResult | undefined> {
  const { port, each = 0 } = dialler.target
  const addresses: string[] = []
  dialler.trying(addresses)
  const errors: Error[] = []
  for (const [at, place] of places.entries()) {
    const { address, family } = place
    addresses.push(`${address}:${port}`)
    const blocked = blockedBy(dialler, place)
    if (blocked !== undefined) {
      errors.push(blocked)
      dialler.tell('connectionAttemptFailed', address, port, family, blocked)
      continue
    }
    const attempted = attempt(dialler, place)
    try {
      const found = at === places.length - 1 ? await attempted : await inTime(attempted, each)
      if (found !== undefined) return found
      if (!dialler.waits()) return undefined
      errors.push(systemError('connect', 'ETIMEDOUT', { address, port }))
      dialler.tell('connectionAttemptTimeout', address, port, family)
    } catch (error) {
      errors.push(error as Error)
    }
    if (!dialler.waits()) return undefined
  }
  throw Object.assign(new AggregateError(errors), { code: (errors[0] as { code?: string }).code })
}

/** Nothing after so many milliseconds; what comes later is let go. */
async function inTime(attempted: Promise<TcpSocketResult>, milliseconds: number): Promise<TcpSocketResult | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(() => {
      resolve(undefined)
      attempted.then(connection => connection.destroy()).catch(() => undefined)
    }, milliseconds)
  })
  try {
    return await Promise.race([attempted, late])
  } finally {
    clearTimeout(timer)
  }
}

async function attempt({ target: { port }, options, tell }: Dialler, { address, family }: Place): Promise<TcpSocketResult> {
  tell('connectionAttempt', address, port, family)
  try {
    const { localAddress, localPort } = options
    const here = connectHere(address, port, { address: localAddress, port: localPort })
    if (here !== undefined) return here
    if (localAddress || localPort) throw systemError('bind', 'ENOTSUP', { address: localAddress, port: localPort })
    const answer = await backend().tcpSocket({ remoteAddress: address, remotePort: port })
    if (!isRefusal(answer)) return answer
    const isOfName = isIP(address) === 0 && ['ENOTFOUND', 'EINVAL'].includes(codeOf(answer))
    throw isOfName ? unknownName(address, answer) : systemError('connect', answer, { address, port })
  } catch (error) {
    tell('connectionAttemptFailed', address, port, family, error)
    throw error
  }
}

const blockedBy = ({ blockList }: Dialler, { address, family }: Place): Error | undefined =>
  isIP(address) !== 0 && blockList?.check(address, family === 6 ? 'ipv6' : 'ipv4') === true
    ? nodeError('ERR_IP_BLOCKED', `IP(${address}) is blocked by net.BlockList`)
    : undefined
