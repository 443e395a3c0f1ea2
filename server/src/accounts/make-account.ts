import type { Services } from '../services.ts'
import { makeRecoveryCode } from './recovery-code.ts'
import type { NewAccount } from './writes.ts'

type Needs = Pick<Services, 'rows' | 'ids' | 'clock' | 'config' | 'signerFor'>

/** A fresh recovery code and how it is kept. */
export function newRecovery({ ids, signerFor }: Pick<Services, 'ids' | 'signerFor'>): { code: string; hash: string } {
  const code = makeRecoveryCode(ids.bytes(32))
  return { code, hash: recoveryHash(code, signerFor) }
}

/** How a recovery code is kept. */
export const recoveryHash = (code: string, signerFor: Services['signerFor']): string => signerFor('recovery').sign(code)

/** Makes an account; answers its recovery code, or null when its address or passkey is taken. */
export async function makeAccount(
  of: Pick<NewAccount, 'id' | 'name'> & Partial<Pick<NewAccount, 'email' | 'passkey' | 'oidc'>>,
  services: Needs,
): Promise<string | null> {
  const { rows, clock, config } = services
  const recovery = newRecovery(services)
  const made = await rows.write('createAccount', {
    email: null,
    passkey: null,
    oidc: null,
    ...of,
    recovery: recovery.hash,
    // On a server that strangers can reach, the first of them must not become its admin.
    firstRules: config.server.mode === 'development',
    now: clock.now(),
  })
  return made === 'made' ? recovery.code : null
}
