import { equal } from '../signer.ts'
import type { Writer } from '../rows/rows.ts'

/** Writes a code down; false, and nothing written, when the address has had its share of mails this hour. */
export const beginEmailCode = async (
  tx: Writer,
  input: { ceremony: string; email: string; hash: string; now: number; expiresAt: number; perHour: number },
): Promise<boolean> => {
  const { ceremony, email, hash, now, expiresAt, perHour } = input
  const recent = await tx
    .selectFrom('email_codes')
    .select('ceremony')
    .where('email', '=', email)
    .where('created', '>', now - 3_600_000)
    .limit(perHour)
    .execute()
  if (recent.length >= perHour) return false
  await tx.insertInto('email_codes').values({ ceremony, email, hash, tries: 0, created: now, expires_at: expiresAt }).execute()
  return true
}

/** Tries a code: the address it proves, `wrong`, or `gone` when it is unknown, used, out of tries or out of time. A right code is used up. */
export const tryEmailCode = async (
  tx: Writer,
  input: { ceremony: string; hash: string; now: number; tries: number },
): Promise<{ email: string } | 'wrong' | 'gone'> => {
  const code = await tx.selectFrom('email_codes').selectAll().where('ceremony', '=', input.ceremony).executeTakeFirst()
  if (code === undefined || code.expires_at <= input.now || code.tries >= input.tries) return 'gone'
  const right = equal(code.hash, input.hash)
  await tx
    .updateTable('email_codes')
    .set({ tries: right ? input.tries : code.tries + 1 })
    .where('ceremony', '=', input.ceremony)
    .execute()
  return right ? { email: code.email } : 'wrong'
}
