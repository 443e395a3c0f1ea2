import type { AccountRow } from '../rows/schema.ts'
import type { Profile, Services } from '../services.ts'

type Needs = Pick<Services, 'rows' | 'clock' | 'config'>

/** Reads an account as the broker's pages see it; null when it is gone. */
export const profileReader =
  ({ rows, clock, config }: Needs): Services['profileOf'] =>
  async id => {
    const account = await rows.read.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()
    return account === undefined ? null : profileFrom(account, clock.now(), config.accounts.premium === 'everyone')
  }

/** Premium is granted account by account, perhaps until some time, or belongs to everyone. */
const profileFrom = (account: AccountRow, now: number, everyone: boolean): Profile => {
  const granted = account.premium === 1 && (account.premium_until === null || account.premium_until > now)
  return {
    id: account.id,
    name: account.name,
    image: account.image,
    email: account.email,
    admin: account.admin === 1,
    premium: everyone || granted,
    premiumUntil: everyone || account.premium_until === null ? null : new Date(account.premium_until).toISOString(),
    created: account.created,
  }
}
