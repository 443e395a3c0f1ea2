import { tunnelErrorCodes, tunnelRefusals, type TunnelErrorCode } from '@deputy/contract/cloud'
import { isRefusal, refuse } from '@deputy/contract/refusals'
import type { Fail } from '@deputy/contract/shape'
import { ShapeError } from '@deputy/contract/validate'
import type { StreamEnd } from '@deputy/tunnel'
import { NoTunnel } from './link.ts'

/** A refusal of the tunnel, as data. */
export type TunnelFail = Fail<TunnelErrorCode>

/** A refusal of the contract's table. */
export const refused = (name: keyof typeof tunnelRefusals): TunnelFail => refuse(tunnelRefusals[name])
/** The app's own signal fired. */
export const aborted: TunnelFail = { error: 'aborted', message: 'cloud: aborted' }

const byCode: Readonly<Record<string, keyof typeof tunnelRefusals>> = {
  EACCES: 'blocked',
  EADDRINUSE: 'inUse',
  EAI_AGAIN: 'notFound',
  EINVAL: 'badAddress',
  EPERM: 'notAllowed',
  EMFILE: 'tooMany',
  ENOTFOUND: 'notFound',
  EPROTO: 'badAnswer',
  EQUOTA: 'quota',
  EREDIRECT: 'redirect',
  ETIMEDOUT: 'timeout',
  ETUNNEL: 'lost',
}
const words: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'cloud: the address cannot be used on the tunnel node',
  ECONNREFUSED: 'cloud: the remote host refused the connection',
  ECONNRESET: 'cloud: the connection was reset',
  EHOSTUNREACH: 'cloud: the remote host cannot be reached',
  EMSGSIZE: 'cloud: the message is too long',
  ENETUNREACH: 'cloud: the remote network cannot be reached',
}
const isCode = (code: string): code is TunnelErrorCode => (tunnelErrorCodes as readonly string[]).includes(code)

/** What the end of a stream means to the app. */
export function refusedEnd({ code }: StreamEnd): TunnelFail {
  if (code === 'ECANCELED') return aborted
  const name = byCode[code]
  if (name !== undefined) return refused(name)
  return isCode(code) ? { error: code, message: words[code] ?? 'cloud: the connection failed' } : refused('unavailable')
}

/** The answer as it is; where it is the quota's refusal, `spent` is called. */
export function noting<T>(answer: T, spent: () => void): T {
  if (isRefusal(answer) && (answer as TunnelFail).error === tunnelRefusals.quota.code) spent()
  return answer
}

/** What a failure to open a stream means to the app; anything else is thrown on. */
export function refusedOpening(error: unknown): TunnelFail {
  if (error instanceof ShapeError) return refused('badAddress')
  if (error instanceof NoTunnel) return refused(error.why === 'needs-account' ? 'needsAccount' : 'unavailable')
  throw error
}
