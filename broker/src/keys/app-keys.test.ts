import assert from 'node:assert/strict'
import test from 'node:test'
import { appKeysFrom } from './app-keys.ts'
import { memoryKeys } from './memory-keys.test-support.ts'

const app = 'web:https://app.example'

test('keys of this app, whole and not to be exported, are taken', async () => {
  const service = memoryKeys()
  const code = await service.make()
  await service.rotateElsewhere()
  await service.keys.open({ kind: 'recovery', code })
  const keys = await service.keys.appKeys(app)
  assert.deepEqual(
    appKeysFrom(structuredClone(keys), app)?.keys.map(({ epoch }) => epoch),
    [1, 2],
  )
})

test('anything else handed over is no keys', async () => {
  const service = memoryKeys()
  await service.make()
  const keys = await service.keys.appKeys(app)
  assert.ok(keys !== null)
  const [first] = keys.keys
  const open = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign', 'verify'])
  const aes = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt'])
  for (const wrong of [
    null,
    'keys',
    {},
    { ...keys, app: 'web:https://other.example' },
    { ...keys, account: 7 },
    { ...keys, epoch: 0 },
    { ...keys, epoch: 2 },
    { ...keys, epoch: 2, keys: [first, first] },
    { ...keys, keys: [] },
    { ...keys, keys: [{ epoch: 1, key: aes }] },
    { ...keys, keys: [{ epoch: 1, key: new Uint8Array(32) }] },
    { ...keys, names: open },
    { ...keys, names: first?.key },
  ])
    assert.equal(appKeysFrom(wrong, app), null)
})
