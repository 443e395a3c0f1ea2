import type { Writer } from '../rows/rows.ts'

/** Lives in milliseconds. */
export interface Lives {
  readonly grace: number
  readonly sliding: number
  readonly absolute: number
}

const liveTokens = 8

/** Begins a session; null when the account is gone or has disconnected the app. The end without use is the nearer of the two lives. */
export const beginSession = async (
  tx: Writer,
  input: { id: string; account: string; app: string | null; device: string; token: string; now: number; lives: Lives },
): Promise<{ expiresAt: number } | null> => {
  const { id, account, app, device, token, now, lives } = input
  const known = await tx.selectFrom('accounts').select('id').where('id', '=', account).executeTakeFirst()
  if (known === undefined) return null
  if (app !== null && (await tx.selectFrom('app_grants').select('app').where('account', '=', account).where('app', '=', app).executeTakeFirst()) === undefined)
    return null
  const expiresAt = now + Math.min(lives.sliding, lives.absolute)
  await tx.insertInto('sessions').values({ id, account, app, device, created: now, last_used: now, expires_at: expiresAt }).execute()
  await tx.insertInto('session_tokens').values({ hash: token, session: id, issued_at: now, retired_at: null }).execute()
  if (app !== null) await tx.updateTable('app_grants').set({ last_used: now }).where('account', '=', account).where('app', '=', app).execute()
  return { expiresAt }
}

/**
 * Renews: `next` becomes a token of the session and `token` is retired. A retired token within its grace may renew as well (its
 * answer was lost, or two windows share it), up to eight living tokens of a session.
 */
export const renewSession = async (
  tx: Writer,
  input: { token: string; next: string; now: number; lives: Lives },
): Promise<{ device: string; expiresAt: number } | 'ended' | 'too-many'> => {
  const { token, next, now, lives } = input
  const session = await tx
    .selectFrom('session_tokens')
    .innerJoin('sessions', 'sessions.id', 'session_tokens.session')
    .select(['sessions.id', 'account', 'app', 'device', 'created', 'expires_at', 'retired_at'])
    .where('hash', '=', token)
    .executeTakeFirst()
  if (session === undefined || session.expires_at <= now || (session.retired_at !== null && session.retired_at + lives.grace <= now)) return 'ended'
  const living = await tx.selectFrom('session_tokens').select('hash').where('session', '=', session.id).where('retired_at', 'is', null).execute()
  if (session.retired_at !== null && living.length >= liveTokens) return 'too-many'
  const expiresAt = Math.min(now + lives.sliding, session.created + lives.absolute)
  await tx.updateTable('session_tokens').set({ retired_at: now }).where('hash', '=', token).where('retired_at', 'is', null).execute()
  await tx.insertInto('session_tokens').values({ hash: next, session: session.id, issued_at: now, retired_at: null }).execute()
  await tx.updateTable('sessions').set({ last_used: now, expires_at: expiresAt }).where('id', '=', session.id).execute()
  return { device: session.device, expiresAt }
}

/** Notes that a session was used and moves its end on; answers the end, or null when it is gone. */
export const touchSession = async (tx: Writer, input: { id: string; now: number; lives: Lives }): Promise<number | null> => {
  const { id, now, lives } = input
  const session = await tx.selectFrom('sessions').select(['account', 'app', 'created']).where('id', '=', id).executeTakeFirst()
  if (session === undefined) return null
  const expiresAt = Math.min(now + lives.sliding, session.created + lives.absolute)
  await tx.updateTable('sessions').set({ last_used: now, expires_at: expiresAt }).where('id', '=', id).execute()
  if (session.app !== null)
    await tx.updateTable('app_grants').set({ last_used: now }).where('account', '=', session.account).where('app', '=', session.app).execute()
  return expiresAt
}

/** Ends sessions of an account, or the one by its id alone; answers which there were. */
export const endSessions = async (tx: Writer, input: { id?: string; account?: string; app?: string }): Promise<string[]> => {
  if (input.id === undefined && input.account === undefined) throw new Error('which sessions?')
  let query = tx.deleteFrom('sessions')
  if (input.id !== undefined) query = query.where('id', '=', input.id)
  if (input.account !== undefined) query = query.where('account', '=', input.account)
  if (input.app !== undefined) query = query.where('app', '=', input.app)
  const ended = await query.returning('id').execute()
  return ended.map(row => row.id)
}

/** Removes sessions past their end, and retired tokens so old that nobody can still hold them by accident. */
export const sweepSessions = async (tx: Writer, input: { now: number; lives: Lives }): Promise<string[]> => {
  const ended = await tx.deleteFrom('sessions').where('expires_at', '<=', input.now).returning('id').execute()
  await tx
    .deleteFrom('session_tokens')
    .where('retired_at', '<', input.now - input.lives.sliding)
    .execute()
  return ended.map(row => row.id)
}
