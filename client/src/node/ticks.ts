import shim from 'process/browser.js'

// The stream library schedules by this shim, whose own way is a timer of several milliseconds. A microtask is Node's nearest equal.
shim.nextTick = nextTick

/** Runs a function after the current one, before anything else happens. */
export function nextTick<A extends readonly unknown[]>(run: (...of: A) => void, ...of: A): void {
  queueMicrotask(() => run(...of))
}
