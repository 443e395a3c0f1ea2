import { setTimeout as delay } from 'node:timers/promises'

/** Waits for something other processes do, looking again and again. @throws when it has not come about so many milliseconds later */
export async function until(is: () => boolean | Promise<boolean>, within = 60_000): Promise<void> {
  const late = performance.now() + within
  while (!(await is())) {
    if (performance.now() > late) throw new Error('not in time')
    await delay(20)
  }
}
