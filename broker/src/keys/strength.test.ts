import assert from 'node:assert/strict'
import test from 'node:test'
import { strengthOf } from './strength.ts'

test('short and repetitive passphrases are weak, a few words are good', () => {
  assert.equal(strengthOf(''), 'short')
  assert.equal(strengthOf('ninechars'), 'short')
  assert.equal(strengthOf('aaaaaaaaaaaaaaaaaaaaaaaa'), 'weak')
  assert.equal(strengthOf('passwordab'), 'weak')
  assert.equal(strengthOf('correct horse'), 'fair')
  assert.equal(strengthOf('a horse on the roof sings'), 'strong')
  // Counted as a person sees characters, not as the encoding does.
  assert.equal(strengthOf('🐎🐎🐎🐎🐎'), 'short')
})
