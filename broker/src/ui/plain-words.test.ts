import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainWords } from './plain-words.ts'

test('an app’s words lose what could dress them up as ours', () => {
  assert.equal(plainWords('a\u202Eb\u2066c\u200Fd\u0000e\u001B[2Jf\uFEFF'), 'abcde[2Jf')
  assert.equal(plainWords('  line\n\n\tline  '), 'line line')
  assert.equal(plainWords('<b>bold</b>'), '<b>bold</b>')
  assert.equal(plainWords(`Z${'\u0335'.repeat(40)}`), `Z${'\u0335'.repeat(3)}`)
})

test('they are capped by what a reader counts as characters', () => {
  assert.equal(plainWords('x'.repeat(1000)).length, 280)
  assert.equal(plainWords('🇩🇪'.repeat(20), 5), '🇩🇪🇩🇪🇩🇪🇩🇪…')
})
