import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { makeRecoveryCode, readRecoveryCode } from './recovery-code.ts'

test('a code is read back whatever its case, spacing and look-alikes', () => {
  for (let round = 0; round < 200; round += 1) {
    const code = makeRecoveryCode(randomBytes(32))
    assert.equal(readRecoveryCode(code), code)
    assert.equal(
      readRecoveryCode(
        ` ${code
          .toLowerCase()
          .replaceAll('-', '  ')
          .replaceAll('0', 'o')
          .replaceAll('1', round % 2 ? 'i' : 'L')} `,
      ),
      code,
    )
  }
})

test('every single wrong character and every swap of neighbours that differ is noticed', () => {
  const code = makeRecoveryCode(new Uint8Array(32).map((_, index) => (index * 37) & 255))
  const letters = code.replaceAll('-', '')
  for (let at = 0; at < letters.length; at += 1) {
    const other = letters[at] === 'A' ? 'B' : 'A'
    assert.equal(readRecoveryCode(`${letters.slice(0, at)}${other}${letters.slice(at + 1)}`), null)
    const [one = '', two = ''] = [letters[at], letters[at + 1]]
    if (two !== '' && one !== two) assert.equal(readRecoveryCode(`${letters.slice(0, at)}${two}${one}${letters.slice(at + 2)}`), null)
  }
  for (const wrong of ['', 'x', letters.slice(1), `${letters}A`, letters.replace(/./, 'U'), letters.replace(/./, '🙂')])
    assert.equal(readRecoveryCode(wrong), null)
})
