import type { Writer } from '../rows/rows.ts'
import type { Services } from '../services.ts'

/** What each kind of ceremony keeps between its begin and its end. */
export interface CeremonyData {
  'sign-up': { readonly challenge: string; readonly account: string; readonly name: string }
  'sign-in': { readonly challenge: string }
  passkey: { readonly challenge: string }
  oidc: { readonly provider: string; readonly verifier: string; readonly state: string; readonly nonce: string }
}

/** Writes a ceremony down. */
export const beginCeremony = async (
  tx: Writer,
  input: { id: string; kind: string; account: string | null; data: string; expiresAt: number },
): Promise<void> => {
  const { id, kind, account, data, expiresAt } = input
  await tx.insertInto('ceremonies').values({ id, kind, account, data, expires_at: expiresAt }).execute()
}

/** Uses a ceremony up: it is gone, whatever comes of it. Null when there is none, it is of another kind or out of time. */
export const takeCeremony = async (tx: Writer, input: { id: string; kind: string; account: string | null; now: number }): Promise<string | null> => {
  const taken = await tx
    .deleteFrom('ceremonies')
    .where('id', '=', input.id)
    .where('kind', '=', input.kind)
    .returning(['data', 'account', 'expires_at'])
    .executeTakeFirst()
  return taken !== undefined && taken.expires_at > input.now && taken.account === input.account ? taken.data : null
}

type Needs = Pick<Services, 'rows' | 'ids' | 'clock' | 'config'>

/** Begins a ceremony, for an account where there is one, and answers its id. */
export async function begin<K extends keyof CeremonyData>(
  kind: K,
  account: string | null,
  data: CeremonyData[K],
  { rows, ids, clock, config }: Needs,
): Promise<string> {
  const id = ids.token()
  await rows.write('beginCeremony', { id, kind, account, data: JSON.stringify(data), expiresAt: clock.now() + config.accounts.ceremony })
  return id
}

/** Uses a ceremony up and answers what its begin kept, or null. */
export async function take<K extends keyof CeremonyData>(kind: K, account: string | null, id: string, { rows, clock }: Needs): Promise<CeremonyData[K] | null> {
  const data = await rows.write('takeCeremony', { id, kind, account, now: clock.now() })
  return data === null ? null : (JSON.parse(data) as CeremonyData[K])
}
