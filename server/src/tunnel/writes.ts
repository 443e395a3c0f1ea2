import type { Writer } from '../rows/rows.ts'
import type { Use } from './meters.ts'

/** Adds what was used on a day (epoch days); accounts that are gone meanwhile are left out. */
export async function recordTunnelUse(tx: Writer, { day, uses }: { readonly day: number; readonly uses: readonly Use[] }): Promise<void> {
  for (const { account, app, sent, received } of uses) {
    const there = await tx.selectFrom('accounts').select('id').where('id', '=', account).executeTakeFirst()
    if (there === undefined) continue
    await tx
      .insertInto('tunnel_days')
      .values({ account, day, app, sent, received })
      .onConflict(conflict =>
        conflict.columns(['account', 'day', 'app']).doUpdateSet(row => ({
          sent: row('tunnel_days.sent', '+', sent),
          received: row('tunnel_days.received', '+', received),
        })),
      )
      .execute()
  }
}

/** A report of a node, which may come more than once. */
export interface NodeReport {
  readonly node: string
  readonly instance: string
  readonly sequence: number
  /** Epoch days. */
  readonly day: number
  readonly uses: readonly Use[]
}

/** Adds what a node reports, unless it was added before; answers whether it was added now. */
export async function recordTunnelReport(tx: Writer, { node, instance, sequence, day, uses }: NodeReport): Promise<boolean> {
  const last = await tx.selectFrom('tunnel_reports').select(['instance', 'sequence']).where('node', '=', node).executeTakeFirst()
  if (last?.instance === instance && last.sequence >= sequence) return false
  await tx
    .insertInto('tunnel_reports')
    .values({ node, instance, sequence })
    .onConflict(conflict => conflict.column('node').doUpdateSet({ instance, sequence }))
    .execute()
  await recordTunnelUse(tx, { day, uses })
  return true
}
