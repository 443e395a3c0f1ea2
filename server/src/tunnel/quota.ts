import { readTunnelQuota, readTunnelUse } from '@deputy/contract/api-tunnel'
import { handler, refuse } from '../http/handler.ts'

const dayLength = 86_400_000
const shown = 30
/** Said where nothing limits: a number, since the contract has one. */
const unlimited = Number.MAX_SAFE_INTEGER

/** What the account may use today and has used. */
export const quotaRead = handler(readTunnelQuota, async (_input, { session, profileOf, tunnel }) => {
  const profile = await profileOf(session.account)
  if (profile === null) return refuse('unauthorized', 'the session is unknown or over')
  const { rate, day } = tunnel.allowance(profile.premium)
  const usedBytes = await tunnel.meters.usedToday(session.account)
  const limitBytes = day === 0 ? unlimited : day
  return {
    bytesPerSecond: rate === 0 ? unlimited : rate,
    limitBytes,
    overQuota: usedBytes >= limitBytes,
    premium: profile.premium,
    remaining: Math.max(0, limitBytes - usedBytes),
    usedBytes,
  }
})

/** What each app of the account used on each of the last days. */
export const useRead = handler(readTunnelUse, async (_input, { session, rows, clock, tunnel }) => {
  await tunnel.meters.flush()
  const found = await rows.read
    .selectFrom('tunnel_days')
    .select(['day', 'app', 'sent', 'received'])
    .where('account', '=', session.account)
    .where('day', '>', Math.floor(clock.now() / dayLength) - shown)
    .orderBy('day')
    .orderBy('app')
    .execute()
  return { days: found.map(({ day, ...rest }) => ({ day: new Date(day * dayLength).toISOString().slice(0, 10), ...rest })) }
})
