import { sweepArea, type Swept, type SweptArea } from '../bytes/sweep.ts'
import type { Services } from '../services.ts'
import { placeOf } from './log.ts'

/** Sweeps what was stored. */
export interface Sweeper {
  /** Expires uploads and clears what was given up; with `full` also compares all bytes with all rows. One at a time. */
  sweep(options?: { full?: boolean }): Promise<Swept>
  /** Sweeps fully now and then every `objects.sweep`, until `close`. */
  start(): void
  close(): Promise<void>
}

/** The sweeper of all areas. A crash can leave strays only, and only until the next start, so the timer compares nothing. */
export function makeSweeper(areas: readonly SweptArea[], { config, log }: Pick<Services, 'config' | 'log'>): Sweeper {
  let timer: NodeJS.Timeout | undefined
  let closing = false
  let last: Promise<unknown> = Promise.resolve()

  const run = async (full: boolean): Promise<Swept> => {
    let swept: Swept = { expired: 0, cleared: 0, strays: 0, missing: 0 }
    for (const area of areas) {
      const found = await sweepArea(area, full, () => closing)
      swept = {
        expired: swept.expired + found.expired,
        cleared: swept.cleared + found.cleared,
        strays: swept.strays + found.strays,
        missing: swept.missing + found.missing,
      }
    }
    if (swept.missing > 0) log.error('bytes-missing', { count: swept.missing })
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
