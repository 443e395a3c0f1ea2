import { placeOf } from '../operations/log.ts'
import type { Services } from '../services.ts'

const batch = 500
const prefixes = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'))

/** What a sweep found. */
export interface Swept {
  /** Reservations given up because their time was over. */
  readonly expired: number
  /** Objects given up whose bytes are now gone. */
  readonly cleared: number
  /** Bytes removed that no row named. */
  readonly strays: number
  /** Ready objects whose bytes are not there. They are kept for the operator to restore, and served as not found. */
  readonly missing: number
}

/** Sweeps objects. */
export interface Sweeper {
  /** Expires uploads and clears what was given up; with `full` also compares all bytes with all rows. One at a time. */
  sweep(options?: { full?: boolean }): Promise<Swept>
  /** Sweeps fully now and then every `objects.sweep`, until `close`. */
  start(): void
  close(): Promise<void>
}

type Needs = Pick<Services, 'rows' | 'bytes' | 'clock' | 'config' | 'log' | 'clearObjects'>

/** The sweeper of objects. A crash can leave strays only, and only until the next start, so the timer compares nothing. */
export function objectSweeper({ rows, bytes, clock, config, log, clearObjects }: Needs): Sweeper {
  let timer: NodeJS.Timeout | undefined
  let closing = false
  let last: Promise<unknown> = Promise.resolve()

  const expire = async (): Promise<number> => {
    const gone = await rows.read
      .selectFrom('object_usage')
      .select('account')
      .where(row => row.not(row.exists(row.selectFrom('accounts').select('id').whereRef('accounts.id', '=', 'object_usage.account'))))
      .execute()
    for (const { account } of gone) await rows.write('dropObjects', { account })
    let expired = 0
    for (let found = batch; found === batch && !closing;) {
      found = await rows.write('expireObjects', { now: clock.now(), limit: batch })
      expired += found
    }
    return expired
  }

  const clear = async (): Promise<number> => {
    let cleared = 0
    for (let after = ''; !closing;) {
      const found = await rows.read
        .selectFrom('objects')
        .select('id')
        .where('status', '=', 'deleted')
        .where('id', '>', after)
        .orderBy('id')
        .limit(batch)
        .execute()
      cleared += await clearObjects(found.map(row => row.id))
      if (found.length < batch) break
      after = found.at(-1)?.id ?? ''
    }
    return cleared
  }

  const compare = async (): Promise<{ strays: number; missing: number }> => {
    let strays = 0
    let missing = 0
    for (const prefix of prefixes) {
      if (closing) break
      // Rows that were ready before the bytes are listed must be among them; bytes have had a row before they were there.
      const before = await rowsOf(prefix)
      const found = await bytes.list(prefix)
      const after = await rowsOf(prefix)
      const whole = new Set(found.filter(entry => entry.state === 'whole').map(entry => entry.id))
      for (const [id, status] of before) if (status === 'ready' && after.get(id) === 'ready' && !whole.has(id)) missing += 1
      for (const { id, state } of found) {
        const status = after.get(id)
        if (status !== undefined && !(status === 'ready' && state === 'unfinished')) continue
        await bytes.remove(id, state === 'unfinished' ? 'unfinished' : undefined)
        strays += 1
      }
    }
    return { strays, missing }
  }

  const rowsOf = async (prefix: string): Promise<ReadonlyMap<string, string>> => {
    const found = await rows.read.selectFrom('objects').select(['id', 'status']).where('id', '>=', prefix).where('id', '<=', `${prefix}g`).execute()
    return new Map(found.map(row => [row.id, row.status]))
  }

  const run = async (full: boolean): Promise<Swept> => {
    const expired = await expire()
    const cleared = await clear()
    const swept = { expired, cleared, ...(full ? await compare() : { strays: 0, missing: 0 }) }
    if (swept.missing > 0) log.error('object-bytes-missing', { objects: swept.missing })
    if (swept.expired + swept.cleared + swept.strays > 0) log.info('swept', { ...swept })
    return swept
  }

  const sweep = ({ full = false } = {}): Promise<Swept> => {
    const next = last.then(() => run(full))
    last = next.catch(() => undefined)
    return next
  }
  const quietly = (full: boolean): void => {
    sweep({ full }).catch((error: unknown) => log.error('sweep-failed', placeOf(error)))
  }
  return {
    sweep,
    start: () => {
      quietly(true)
      timer = setInterval(() => quietly(false), config.objects.sweep)
    },
    close: async () => {
      closing = true
      clearInterval(timer)
      await last
    },
  }
}
