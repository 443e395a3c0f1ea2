import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filePath } from './paths.ts'

test('a path of segments between slashes names a file, in one spelling', () => {
  for (const path of ['a', 'a/b/c', '.hidden', 'a..b', '...', 'a b', '日本/ノート', 'x'.repeat(1024), 'ä'.repeat(512)]) assert.equal(filePath(path), path)
  assert.equal(filePath('cafe\u0301'), 'caf\u00e9')
})

test('an empty, relative, absolute, too long or unprintable path names none', () => {
  const paths = [
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    './a',
    'a/.',
    'a/../b',
    'a/..',
    'a\u0000',
    'a\tb',
    'a\u007f',
    'a\u0085',
    '\ud800',
    'x'.repeat(1025),
    'ä'.repeat(513),
  ]
  for (const path of paths) assert.equal(filePath(path), null, JSON.stringify(path))
})
