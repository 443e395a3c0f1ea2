import type { Services, Session } from '../services.ts'
import { tokenHash } from './token-hash.ts'

const kept = 10_000
const touchEvery = 60_000

interface Known extends Session {
  readonly retiredAt: number | null
  lastUsed: number
  expiresAt: number
}

/** Finds the session of a token. */
export interface SessionFinder {
  find(token: string): Promise<Session | null>
  /** Stops listening for changes. */
  close(): void
}

type Needs = Pick<Services, 'rows' | 'clock' | 'config' | 'bus' | 'log' | 'sessionsEnded'>

/** The subject on which ended and renewed sessions are told. */
export const sessionsChanged = 'sessions.changed'

/**
 * Looks sessions up, keeping the most recent in memory; they are dropped when the bus says that they changed. A renewed token
 * that is used after its grace was copied: the whole session ends.
 */
export function sessionFinder({ rows, clock, config, bus, log, sessionsEnded }: Needs): SessionFinder {
  const lives = config.sessions
  const known = new Map<string, Known>()
  const forget = bus.subscribe(sessionsChanged, message => {
    const ids = new Set(message as readonly string[])
    for (const [hash, session] of known) if (ids.has(session.id)) known.delete(hash)
  })
  const load = async (hash: string): Promise<Known | undefined> => {
    const row = await rows.read
      .selectFrom('session_tokens')
      .innerJoin('sessions', 'sessions.id', 'session_tokens.session')
      .select(['sessions.id', 'account', 'app', 'last_used', 'expires_at', 'retired_at'])
      .where('hash', '=', hash)
      .executeTakeFirst()
    if (row === undefined) return undefined
    const session = {
      id: row.id,
      account: row.account,
      app: row.app,
      token: hash,
      retiredAt: row.retired_at,
      lastUsed: row.last_used,
      expiresAt: row.expires_at,
    }
    const [oldest] = known.keys()
    if (known.size >= kept && oldest !== undefined) known.delete(oldest)
    known.set(hash, session)
    return session
  }
  return {
    find: async token => {
      const hash = tokenHash(token)
      const session = known.get(hash) ?? (await load(hash))
      const now = clock.now()
      if (session === undefined || session.expiresAt <= now) return null
      if (session.retiredAt !== null && session.retiredAt + lives.grace <= now) {
        log.warn('session-token-reused', { session: session.id })
        await sessionsEnded(await rows.write('endSessions', { id: session.id }))
        return null
      }
      if (session.lastUsed + touchEvery <= now) {
        session.lastUsed = now
        const expiresAt = await rows.write('touchSession', { id: session.id, now, lives })
        if (expiresAt === null) return null
        session.expiresAt = expiresAt
      }
      return session
    },
    close: forget,
  }
}
