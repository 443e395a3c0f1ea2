import { performance } from 'node:perf_hooks'

const step = 1000

/** Measures how busy this process is: the share of its time, in thousandths, over the last second or more. */
export function loadMeter(): () => number {
  let last = performance.eventLoopUtilization()
  let measuredAt = performance.now()
  let load = 0
  return () => {
    if (performance.now() - measuredAt < step) return load
    const now = performance.eventLoopUtilization()
    load = Math.min(1000, Math.round(performance.eventLoopUtilization(now, last).utilization * 1000))
    last = now
    measuredAt = performance.now()
    return load
  }
}
