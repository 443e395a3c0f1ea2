import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examplesOf } from './docs-examples.ts'

const page = (...lines: readonly string[]) => lines.join('\n')

test('blocks of code are found with their lines, also inside lists; other languages are left alone', () => {
  const found = examplesOf(page('# A', '```ts', 'const a = 1', '```', '- b', '  ```js run', '  b()', '  ```', '```sh', 'npm ci', '```'))
  assert.deepEqual(found, [
    { line: 2, extension: 'ts', run: false, code: 'const a = 1\nexport {}\n' },
    { line: 6, extension: 'js', run: true, code: 'b()\nexport {}\n' },
  ])
})

test('what is given belongs to the block right after it only', () => {
  const found = examplesOf(page('<!-- given:', 'declare const file: File', '-->', '', '```ts', 'file.size', '```', '```ts', 'other', '```'))
  assert.deepEqual(
    found.map(({ code }) => code),
    ['declare const file: File\nfile.size\nexport {}\n', 'other\nexport {}\n'],
  )
})

test('a fence without an end and a word that would skip a block are refused', () => {
  assert.throws(() => examplesOf('```ts\nx'), /does not end/)
  assert.throws(() => examplesOf('```ts ignore\nx\n```'), /every example is checked/)
})
