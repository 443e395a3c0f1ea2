import assert from 'node:assert/strict'
import test from 'node:test'
import { prfSalt } from '@deputy/seal'
import { askingPrf, askPasskey, takePrf } from './passkey.ts'

const response = (prf: unknown) => ({ id: 'one', rawId: 'one', clientExtensionResults: { credProps: { rk: true }, prf } })

test('what a passkey tells stays here: the response to send is without it', () => {
  const bytes = new Uint8Array(32).fill(7)
  const taken = takePrf(response({ enabled: true, results: { first: bytes.buffer } }))
  assert.deepEqual(taken.response.clientExtensionResults, { credProps: { rk: true } })
  assert.deepEqual(taken.keys, { credential: 'one', able: true, secret: { kind: 'passkey', credential: 'one', prf: bytes } })
})

test('a passkey that can, but tells only when asked again, and one that cannot, are told apart', () => {
  assert.deepEqual(takePrf(response({ enabled: true })).keys, { credential: 'one', able: true, secret: null })
  assert.deepEqual(takePrf(response({ enabled: false })).keys, { credential: 'one', able: false, secret: null })
  assert.deepEqual(takePrf(response(undefined)).keys, { credential: 'one', able: false, secret: null })
  assert.equal(takePrf(response({ results: { first: new ArrayBuffer(31) } })).keys.secret, null)
})

test('every ceremony asks with the one public salt and keeps what else was asked', () => {
  const options = askingPrf({ challenge: 'x', extensions: { credProps: true } })
  assert.deepEqual(options.extensions, { credProps: true, prf: { eval: { first: prfSalt } } } as never)
})

test('a passkey that answers without its secret is told, not taken for a wrong one', async () => {
  const get = (async () => response(undefined)) as never
  assert.equal((await askPasskey(['one'], { get }, 'broker.example')).problem, 'no-prf')
})
