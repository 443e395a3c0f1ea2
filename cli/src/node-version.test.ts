import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeFault } from './node-version.ts'

test('Node below 22.13 is refused with the way out, others are taken', () => {
  for (const version of ['18.20.0', '20.20.2', '22.12.9']) assert.match(nodeFault(version) ?? '', /needs Node 22\.13/)
  for (const version of ['22.13.0', '23.0.0', '24.21.0', '26.1.0-nightly']) assert.equal(nodeFault(version), null)
})
