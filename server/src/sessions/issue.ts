import type { Services } from '../services.ts'
import { tokenHash } from './token-hash.ts'

type Needs = Pick<Services, 'rows' | 'clock' | 'config' | 'ids' | 'profileOf'>

/** Begins a session of (account, app, device) and answers it with its token; null when the account is gone or has disconnected the app. */
export const sessionIssuer =
  ({ rows, clock, config, ids, profileOf }: Needs): Services['issueSession'] =>
  async (account, app, device) => {
    const token = ids.token()
    const id = ids.id()
    const now = clock.now()
    const begun = await rows.write('beginSession', { id, account, app, device, token: tokenHash(token), now, lives: config.sessions })
    const profile = await profileOf(account)
    if (begun === null || profile === null) return null
    return { token, id, kind: app === null ? 'account' : 'app', app, renewAt: now + config.sessions.renew, expiresAt: begun.expiresAt, account: profile }
  }
