import type { Services } from '../services.ts'

/** Tells whether a session is still there. */
export const sessionWatch =
  ({ rows, clock }: Pick<Services, 'rows' | 'clock'>): Services['sessionLives'] =>
  async id => {
    const row = await rows.read.selectFrom('sessions').select('expires_at').where('id', '=', id).executeTakeFirst()
    return row !== undefined && row.expires_at > clock.now()
  }
