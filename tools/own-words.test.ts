import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foreignWords } from './own-words.ts'

test('a machine’s path, a registry’s host and a key are found with their lines', () => {
  const text = ['see /root/notes.md', 'https://registry.npmjs.org/x', '-----BEGIN PRIVATE KEY-----'].join('\n')
  assert.deepEqual(foreignWords(text), ['1: a path of one machine', '2: a registry’s host', '3: a secret'])
})

test('paths of urls, of the project and of systems are left alone', () => {
  assert.deepEqual(foreignWords('GET http://a.example/work/item\n./work/x\n/usr/bin/chromium\n/v1/objects'), [])
})
