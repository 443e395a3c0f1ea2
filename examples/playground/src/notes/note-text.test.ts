import assert from 'node:assert/strict'
import { test } from 'node:test'
import { downloadName, fileName, headline, isCopy, isSame, parsed, written } from './note-text.ts'

test('words survive being a file, whatever they are', () => {
  for (const title of ['', 'Lake', '# twice', ' spaces '])
    for (const text of ['', 'one', '\n\nlate', '# heading\n\nbelow', 'a\n']) assert.deepEqual(parsed(written({ title, text })), { title, text })
})

test('a title is one line', () => {
  assert.equal(parsed(written({ title: 'a\n b', text: 'x' })).title, 'a b')
  assert.ok(isSame({ title: 'a\nb', text: '' }, { title: 'a b', text: '' }))
})

test('a file of another program is read as far as it says anything', () => {
  assert.deepEqual(parsed('just text'), { title: '', text: 'just text' })
  assert.deepEqual(parsed('# only a heading'), { title: 'only a heading', text: '' })
  assert.deepEqual(parsed('# close\ntext'), { title: 'close', text: 'text' })
  assert.deepEqual(parsed('#tag'), { title: '', text: '#tag' })
})

test('a note without a title goes by its first line', () => {
  assert.equal(headline({ title: ' ', text: '\n milk \nbread' }), 'milk')
  assert.equal(headline({ title: '', text: '' }), 'Untitled')
})

test('names of files', () => {
  assert.equal(fileName(new Date('2026-11-21T06:30:05.123Z'), 'k3f9'), '2026-11-21 06.30.05 k3f9.md')
  assert.equal(downloadName({ title: '../Lake: a/b?', text: '' }), 'Lake a b.md')
  assert.equal(downloadName({ title: '???', text: '' }), 'note.md')
  assert.ok(isCopy('2026-11-21 06.30.05 k3f9 (conflict 2026-11-21 06.31.00).md'))
  assert.ok(!isCopy('2026-11-21 06.30.05 k3f9.md'))
})
