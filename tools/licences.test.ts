import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPermissive, unfit } from './licences.ts'

test('of alternatives one permissive way is enough, of a conjunction every part counts', () => {
  assert.equal(isPermissive('(MIT OR GPL-3.0-only)'), true)
  assert.equal(isPermissive('MIT AND Apache-2.0'), true)
  assert.equal(isPermissive('MIT AND GPL-3.0-only'), false)
})

test('a package of other terms is named; the exceptions hold for the build alone', () => {
  const packages = {
    'node_modules/fine': { license: 'MIT' },
    'node_modules/copyleft': { license: 'AGPL-3.0-only' },
    'node_modules/axe-core': { license: 'MPL-2.0', dev: true },
    'node_modules/a/node_modules/axe-core': { license: 'MPL-2.0' },
    'node_modules/silent': {},
    'node_modules/elsewhere': {},
  }
  const read = (path: string) => (path.endsWith('silent') ? 'none stated' : undefined)
  assert.deepEqual(unfit(packages, read), ['copyleft: AGPL-3.0-only', 'axe-core: MPL-2.0', 'silent: none stated'])
})
