import { Buffer } from 'buffer'
import shim from 'process/browser.js'
import { nextTick } from './ticks.ts'

/**
 * Gives a page the globals that clients written for Node expect: `Buffer`, `process`, `global`, `setImmediate`. What the page has already stays.
 * To be imported before such a client.
 */
const immediate = (run: (...of: unknown[]) => void, ...of: unknown[]): unknown => setTimeout(run, 0, ...of)
const given = {
  Buffer,
  process: Object.assign(shim, { nextTick }),
  global: globalThis,
  setImmediate: immediate,
  clearImmediate: (timer: number) => clearTimeout(timer),
}
for (const [name, value] of Object.entries(given)) {
  if (!(name in globalThis)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
}
