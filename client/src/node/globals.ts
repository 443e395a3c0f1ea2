import * as buffer from 'buffer'
import shim from 'process/browser.js'
import { nextTick } from './ticks.ts'

/**
 * Gives a page the globals that clients written for Node expect: `Buffer`, `process`, `global`, `setImmediate`. What the page has already stays.
 * To be imported before such a client.
 */
const immediate = (run: (...of: unknown[]) => void, ...of: unknown[]): unknown => setTimeout(run, 0, ...of)
const given = {
  Buffer: buffer.Buffer,
  process: Object.assign(shim, { nextTick }),
  global: globalThis,
  setImmediate: immediate,
  clearImmediate: (timer: number) => clearTimeout(timer),
}
for (const [name, value] of Object.entries(given)) {
  if (!(name in globalThis)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
}

// Node's module tells its limits; the package knows one of them under its older name.
const { default: whole, kMaxLength } = buffer as typeof buffer & { readonly default: object }
if (!('constants' in whole)) Object.assign(whole, { constants: { MAX_LENGTH: kMaxLength, MAX_STRING_LENGTH: 2 ** 29 - 24 } })
