import type { Services } from '../services.ts'
import type { NewAccount } from './writes.ts'

type Needs = Pick<Services, 'rows' | 'clock' | 'config'>

/** Makes an account; false when its address or passkey is taken. */
export async function makeAccount(
  of: Pick<NewAccount, 'id' | 'name'> & Partial<Pick<NewAccount, 'email' | 'passkey' | 'oidc'>>,
  { rows, clock, config }: Needs,
): Promise<boolean> {
  const made = await rows.write('createAccount', {
    email: null,
    passkey: null,
    oidc: null,
    ...of,
    // On a server that strangers can reach, the first of them must not become its admin.
    firstRules: config.server.mode === 'development',
    now: clock.now(),
  })
  return made === 'made'
}
