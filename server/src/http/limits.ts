import type { Pace } from '@deputy/contract/api'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '../config/schema.ts'

/** Counts calls and says when it is too many. */
export interface Limits {
  /** Counts a call from the address; seconds to wait when it is one too many, else null. */
  address(address: string): Promise<number | null>
  /** Counts a call of the pace by the account or, for sign-in, from the address. */
  pace(pace: Pace | 'file', key: string): Promise<number | null>
}

/** Limits over windows of a minute, kept in this process. */
export function makeLimits({ limits }: Config): Limits {
  const perMinute = (points: number): RateLimiterMemory => new RateLimiterMemory({ points, duration: 60 })
  const everyone = perMinute(limits.address)
  const paces: Readonly<Record<Pace | 'file', RateLimiterMemory>> = {
    read: perMinute(limits.read),
    write: perMinute(limits.write),
    'sign-in': perMinute(limits.signIn),
    file: perMinute(limits.files),
  }
  return { address: address => take(everyone, address), pace: (pace, key) => take(paces[pace], key) }
}

async function take(limiter: RateLimiterMemory, key: string): Promise<number | null> {
  try {
    await limiter.consume(key)
    return null
  } catch (error) {
    if (error instanceof RateLimiterRes) return Math.max(1, Math.ceil(error.msBeforeNext / 1000))
    throw error
  }
}
