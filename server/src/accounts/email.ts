import { beginEmail, finishEmail } from '@deputy/contract/api-accounts'
import { randomInt } from 'node:crypto'
import { handler, refuse } from '../http/handler.ts'
import { placeOf } from '../operations/log.ts'
import type { Services } from '../services.ts'
import { makeAccount } from './make-account.ts'
import { personName } from './person-name.ts'
import { signedIn } from './signed-in.ts'

const codeDigits = 8
const normal = (email: string): string => email.normalize('NFC').trim().toLowerCase()
const hashOf = (ceremony: string, code: string, signerFor: Services['signerFor']): string => signerFor('email code').sign(`${ceremony}:${code}`)

/** Sends a code. Whether the address is known, has had too many mails or cannot be reached does not show in the answer. */
export const emailBegin = handler(beginEmail, async (input, { rows, ids, clock, config, mail, log, signerFor }) => {
  const email = normal(input.email)
  const ceremony = ids.token()
  const code = String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0')
  const now = clock.now()
  const { emailCode, emailsPerHour, signUp } = config.accounts
  const written = await rows.write('beginEmailCode', {
    ceremony,
    email,
    hash: hashOf(ceremony, code, signerFor),
    now,
    expiresAt: now + emailCode,
    perHour: emailsPerHour,
  })
  const welcome = signUp || (await rows.read.selectFrom('accounts').select('id').where('email', '=', email).executeTakeFirst()) !== undefined
  if (written && welcome) {
    const text = `Your code is ${code.slice(0, 4)} ${code.slice(4)}\n\nIt works for ${Math.round(emailCode / 60_000)} minutes. Whoever has it can sign in as you: give it to nobody.\nIf you did not ask for it, ignore this mail.`
    void mail.send({ to: email, subject: 'Your sign-in code', text }).catch((error: unknown) => log.error('mail-failed', placeOf(error)))
  }
  return { ceremony }
})

/** Signs in with the code, making the account when the address has none. */
export const emailFinish = handler(finishEmail, async ({ ceremony, code, name, device }, services) => {
  const { rows, clock, config, ids, signerFor } = services
  const digits = code.replaceAll(/[\s-]/g, '')
  const tried = await rows.write('tryEmailCode', { ceremony, hash: hashOf(ceremony, digits, signerFor), now: clock.now(), tries: config.accounts.emailTries })
  if (tried === 'wrong') return refuse('denied', 'the code is wrong')
  if (tried === 'gone') return refuse('denied', 'the code is used up or out of time')
  const find = () => rows.read.selectFrom('accounts').select('id').where('email', '=', tried.email).executeTakeFirst()
  let account = (await find())?.id
  if (account === undefined) {
    if (!config.accounts.signUp) return refuse('denied', 'this server takes no new accounts')
    const id = ids.id()
    const chosen = personName(name ?? '') ?? personName(tried.email.split('@')[0] ?? '')?.slice(0, 100) ?? 'Somebody'
    const made = await makeAccount({ id, name: chosen, email: tried.email }, services)
    // Another window of the person may have been faster.
    account = made ? id : (await find())?.id
  }
  if (account === undefined) return refuse('unavailable', 'the account could not be made')
  return signedIn(account, device, services)
})
