import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesWithin, cleanName, personIn, readWords } from './words.ts'

test('words of the playground are read, and anything else is text', () => {
  assert.deepEqual(readWords('{"say":"hello"}'), { say: 'hello' })
  for (const text of ['hello', '[1]', '"a"', '3', 'null', '{']) assert.deepEqual(readWords(text), { say: text })
})

test('a name is one line that turns nothing around it, and a colour is one of the palette', () => {
  assert.equal(cleanName(' \u202eevil\u202c\nname '), 'evil  name')
  assert.equal(cleanName('😀'.repeat(60)), '😀'.repeat(32))
  assert.deepEqual(personIn({ name: 'Ada', colour: 3 }), { name: 'Ada', colour: 3 })
  for (const colour of [-1, 8, 1.5, 'red', undefined]) assert.deepEqual(personIn({ name: 'Ada', colour }), { name: 'Ada', colour: 0 })
  for (const name of ['', '   ', 7, undefined]) assert.equal(personIn({ name, colour: 1 }), null)
})

test('the bytes that fit are those whose sealed length is within the limit', () => {
  const sealed = (bytes: number) => Math.ceil(((108 + bytes) * 4) / 3)
  for (const limit of [200, 2000, 2001, 2002, 2003, 65_536]) {
    assert.ok(sealed(bytesWithin(limit)) <= limit)
    assert.ok(sealed(bytesWithin(limit) + 1) > limit)
  }
  assert.equal(bytesWithin(10), 0)
})
