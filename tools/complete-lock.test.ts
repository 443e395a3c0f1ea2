import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingPlatforms } from './complete-lock.ts'

test('a platform package its parent names and the lock lacks is added with its platform; others are left alone', () => {
  const parent = {
    version: '1.2.3',
    dev: true,
    optionalDependencies: { '@p/binding-darwin-arm64': '1.2.3', '@p/binding-linux-x64-gnu': '1.2.3', fsevents: '~2.3.3' },
  }
  assert.deepEqual(missingPlatforms({ 'node_modules/p': parent, 'node_modules/@p/binding-linux-x64-gnu': { version: '1.2.3' } }), {
    'node_modules/@p/binding-darwin-arm64': { version: '1.2.3', dev: true, optional: true, os: ['darwin'], cpu: ['arm64'] },
  })
})

test('a second version of the parent gets its platform package beside itself', () => {
  const parent = (version: string) => ({ version, optionalDependencies: { '@p/win32-x64': version } })
  assert.deepEqual(Object.keys(missingPlatforms({ 'node_modules/p': parent('1.0.0'), 'node_modules/a/node_modules/p': parent('2.0.0') })), [
    'node_modules/@p/win32-x64',
    'node_modules/a/node_modules/p/node_modules/@p/win32-x64',
  ])
})
