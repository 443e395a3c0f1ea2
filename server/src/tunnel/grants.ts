import type { Allowance } from './meters.ts'

/** What a node may let an account pass until it hears of the account again. */
export interface Grant {
  readonly rate: number
  readonly premium: boolean
  readonly lease: number | null
}

/** The rate leases are reckoned by where none limits. */
const fastest = 100 * 2 ** 20

/**
 * Grants a share of what the account may still use today: as much as passes at its full rate in `time` ms, and no more than remains. Every
 * node gets its own, so an account that uses many at once passes its day by less than `nodes - 1` leases.
 */
export function grantOf({ rate, day, premium }: Allowance, used: number, time: number): Grant {
  const longest = Math.ceil(((rate === 0 ? fastest : rate) * time) / 1000)
  return { rate, premium, lease: day === 0 ? null : Math.max(0, Math.min(day - used, longest)) }
}

/**
 * A grant as the meters of a node count it: `unreported` bytes of the account have passed that the grant does not know of. They count from
 * one on, since a day of 0 bytes would be none.
 */
export const meteredGrant = ({ rate, premium, lease }: Grant, unreported: number): { readonly allowance: Allowance; readonly used: number } => ({
  allowance: { rate, premium, day: lease === null ? 0 : lease + 1 },
  used: unreported + 1,
})
