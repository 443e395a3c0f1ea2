import assert from 'node:assert/strict'
import test from 'node:test'
import { enrolKeys, openKeys } from '@deputy/seal'
import { appKeysFrom } from './app-keys.ts'
import { memoryKeys, prfOf } from './memory-keys.test-support.ts'
import { ownKeysOf } from './own-keys.ts'

test('opened keys are held until dropped, and cannot be exported', async () => {
  const service = memoryKeys()
  await service.make(prfOf('one'))
  const held = await service.keys.current()
  assert.equal(held?.epoch, 1)
  for (const { key } of held?.roots ?? []) await assert.rejects(crypto.subtle.exportKey('raw', key))
  assert.equal((await service.keys.appKeys('web:https://a.example'))?.app, 'web:https://a.example')
  await service.lock()
  assert.equal(await service.keys.current(), null)
  assert.equal(await service.keys.appKeys('web:https://a.example'), null)
})

test('a passkey that was removed opens nothing any more; one that stays does', async () => {
  const service = memoryKeys()
  const code = await service.make(prfOf('one'))
  const opened = (await service.keys.open({ kind: 'recovery', code })).value
  assert.ok(opened !== null)
  await service.keys.add(opened, { secret: prfOf('other'), name: '' })
  const gone = service.state?.unlockers.find(({ credential }) => credential === 'one')
  const rotated = await service.keys.rotate(opened, { drop: [gone?.id ?? ''] })
  assert.equal(rotated.value?.epoch, 2)
  assert.equal((await service.keys.open(prfOf('one'))).problem, 'wrong-passkey')
  assert.equal((await service.keys.open(prfOf('other'))).value?.epoch, 2)
})

test('older keys than this browser has seen are refused, also after a sign-out', async () => {
  const service = memoryKeys()
  const code = await service.make()
  const before = service.state
  await service.rotateElsewhere()
  assert.equal((await service.keys.open({ kind: 'recovery', code })).value?.epoch, 2)
  await service.lock()
  service.state = before
  assert.equal((await service.keys.open({ kind: 'recovery', code })).problem, 'keys-old')
  assert.equal(await service.keys.current(), null)
})

test('a row the service slipped in, or changed, is told as forged and nothing is held', async () => {
  const service = memoryKeys()
  const code = await service.make(prfOf('one'))
  await service.lock()
  const state = service.state
  assert.ok(state !== null)
  const theirs = await enrolKeys({ account: 'a', unlockers: [{ secret: prfOf('theirs'), name: '' }], now: 1 })
  service.state = { ...state, unlockers: [...state.unlockers, ...theirs.unlockers] }
  assert.equal((await service.keys.open({ kind: 'recovery', code })).problem, 'keys-forged')
  service.state = { ...state, unlockers: state.unlockers.map(row => (row.kind === 'passkey' ? { ...row, name: 'renamed' } : row)) }
  assert.equal((await service.keys.open({ kind: 'recovery', code })).problem, 'keys-forged')
  assert.equal(await service.keys.current(), null)
})

test('rotating with keys that are no longer the newest is told, and changes nothing', async () => {
  const service = memoryKeys()
  const code = await service.make()
  const opened = (await service.keys.open({ kind: 'recovery', code })).value
  assert.ok(opened !== null)
  await service.rotateElsewhere()
  assert.equal((await service.keys.rotate(opened)).problem, 'keys-changed')
  assert.equal(service.state?.epoch, 2)
})

test('keys made after a reset are of the next epoch: what was held from before is not taken for them', async () => {
  const service = memoryKeys()
  const code = await service.make()
  const before = await service.keys.appKeys('web:https://a.example')
  assert.equal((await service.keys.reset('A')).value, 3)
  const enrolled = await service.keys.enrol(code, [{ secret: prfOf('one'), name: '' }])
  assert.deepEqual([before?.epoch, enrolled.value?.epoch, service.state?.epoch], [1, 2, 2])
  assert.equal((await service.keys.open(prfOf('one'))).value?.epoch, 2)
  const now = await service.keys.appKeys('web:https://a.example')
  assert.deepEqual(appKeysFrom(now, 'web:https://a.example'), now)
})

test('the account page’s parts get newest keys, asking only where they are not held', async () => {
  const service = memoryKeys()
  const code = await service.make()
  let asked = 0
  const own = ownKeysOf(service.keys, async () => {
    asked += 1
    return service.state === null ? null : openKeys({ account: 'a', state: service.state, secret: { kind: 'recovery', code } })
  })
  assert.deepEqual([(await own.unlock())?.epoch, asked], [1, 0])
  await service.rotateElsewhere()
  assert.deepEqual([(await own.unlock())?.epoch, asked], [2, 1])
})
