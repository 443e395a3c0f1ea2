import { readdirSync, readFileSync } from 'node:fs'

const tick = 10

/** Milliseconds of processor time that this process and everything below it have taken, by what they are; empty where there is no `/proc`. */
export function processorTime(): Record<string, number> {
  const found = new Map<number, { parent: number; kind: string; time: number }>()
  for (const pid of numbersIn('/proc')) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      const kind = /--utility-sub-type=(\w+)/.exec(command)?.[1] ?? /--type=([\w-]+)/.exec(command)?.[1] ?? (pid === process.pid ? 'server' : 'browser')
      found.set(pid, { parent: Number(fields[1]), kind, time: (Number(fields[11]) + Number(fields[12])) * tick })
    } catch {
      // It has ended since.
    }
  }
  const below = (pid: number): boolean => pid === process.pid || (found.has(pid) && below(found.get(pid)?.parent ?? 0))
  const times: Record<string, number> = {}
  for (const [pid, { kind, time }] of found) if (below(pid)) times[kind] = (times[kind] ?? 0) + time
  return times
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder)
      .filter(name => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}
