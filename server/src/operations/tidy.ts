import type { Services } from '../services.ts'
import { placeOf } from './log.ts'

/** Removes what is out of time: ceremonies, codes, sessions. */
export interface Tidy {
  run(): Promise<void>
  /** Runs every `objects.sweep` until `close`. */
  start(): void
  close(): Promise<void>
}

/** Tidies rows that only time ends. What is out of time is never honoured before it is removed either. */
export function tidyRows({ rows, clock, config, log, sessionsEnded }: Pick<Services, 'rows' | 'clock' | 'config' | 'log' | 'sessionsEnded'>): Tidy {
  let timer: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  const run = async (): Promise<void> => {
    const now = clock.now()
    await rows.write('sweepCeremonies', { now })
    await rows.write('sweepAppCodes', { now })
    await sessionsEnded(await rows.write('sweepSessions', { now, lives: config.sessions }))
  }
  return {
    run,
    start: () => {
      timer = setInterval(() => {
        last = run().catch((error: unknown) => log.error('tidy-failed', placeOf(error)))
      }, config.objects.sweep)
    },
    close: async () => {
      clearInterval(timer)
      await last
    },
  }
}
