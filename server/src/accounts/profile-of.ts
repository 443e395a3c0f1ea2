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

/** Reads whether an account is premium, without the rest of it; null when it is gone. */
export const premiumReader =
  ({ rows, clock, config }: Needs): Services['premiumOf'] =>
  async id => {
    const account = await rows.read.selectFrom('accounts').select(['premium', 'premium_until']).where('id', '=', id).executeTakeFirst()
    return account === undefined ? null : config.accounts.premium === 'everyone' || isGranted(account, clock.now())
  }

/** Premium is granted account by account, perhaps until some time, or belongs to everyone. */
const isGranted = ({ premium, premium_until: until }: Pick<AccountRow, 'premium' | 'premium_until'>, now: number): boolean =>
  premium === 1 && (until === null || until > now)

const profileFrom = (account: AccountRow, now: number, everyone: boolean): Profile => {
  const granted = isGranted(account, now)
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
