import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintRecoveryCode, readRecoveryCode, recoveryProof } from './recovery-code.ts'

test('a code is read back whatever its case, spacing and look-alikes', () => {
  for (let round = 0; round < 200; round += 1) {
    const code = mintRecoveryCode()
    assert.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-){8}[0-9A-HJKMNP-TV-Z]{4}$/)
    assert.equal(readRecoveryCode(code), code)
    const typed = code
      .toLowerCase()
      .replaceAll('-', '  ')
      .replaceAll('0', 'o')
      .replaceAll('1', round % 2 ? 'i' : 'L')
    assert.equal(readRecoveryCode(` ${typed} `), code)
  }
})

test('every single wrong character and every swap of neighbours that differ is noticed', () => {
  const letters = mintRecoveryCode().replaceAll('-', '')
  for (let at = 0; at < letters.length; at += 1) {
    for (const other of '0123456789ABCDEFGHJKMNPQRSTVWXYZ')
      if (letters[at] !== other) assert.equal(readRecoveryCode(`${letters.slice(0, at)}${other}${letters.slice(at + 1)}`), null)
    const [one = '', two = ''] = [letters[at], letters[at + 1]]
    if (two !== '' && one !== two) assert.equal(readRecoveryCode(`${letters.slice(0, at)}${two}${one}${letters.slice(at + 2)}`), null)
  }
  for (const wrong of ['', 'x', letters.slice(1), `${letters}A`, letters.replace(/./, 'U'), letters.replace(/./, '🙂'), '0'.repeat(36)])
    assert.equal(readRecoveryCode(wrong), null)
})

test('a proof is 32 bytes, the same for the same code, and tells nothing of it', async () => {
  const code = mintRecoveryCode()
  const proof = await recoveryProof(code)
  assert.match(proof, /^[A-Za-z0-9_-]{43}$/)
  assert.equal(await recoveryProof(code), proof)
  assert.notEqual(await recoveryProof(mintRecoveryCode()), proof)
})
