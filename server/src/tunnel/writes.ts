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
