import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import vectors from '../vectors/account-keys.json' with { type: 'json' }
import { appKeysOf, enrolKeys, fileName, mintRecoveryCode, openKeys, recoveryProof, type KeyState, type UnlockSecret } from './index.ts'
import * as second from './keys-second-implementation.test-support.ts'

const hex = (text: string): Buffer => Buffer.from(text, 'hex')
const { account } = vectors
const root = (epoch: number): Buffer => hex(vectors.roots[epoch - 1]?.key ?? '')
const ours = (secret: second.Secret): UnlockSecret => (secret.kind === 'passkey' ? { ...secret, prf: new Uint8Array(hex(secret.prf)) } : secret)
const secretOf = (value: unknown): second.Secret => value as second.Secret
const rows = (epoch: 1 | 2): second.Row[] => vectors.unlockers.map(unlocker => unlocker[`atEpoch${epoch}`] as second.Row)
const states: readonly KeyState[] = [
  { epoch: 1, unlockers: rows(1) as KeyState['unlockers'], chain: [] },
  { epoch: 2, unlockers: rows(2) as KeyState['unlockers'], chain: vectors.chain },
]

for (const { secret } of vectors.unlockers) {
  test(`the vectors' ${secret.kind} opens the keys at both epochs, and names files as they say`, async () => {
    for (const state of states) {
      const opened = await openKeys({ account, state, secret: ours(secretOf(secret)) })
      assert.equal(opened.epoch, state.epoch)
      for (const { app, names } of vectors.apps) {
        const keys = await appKeysOf(await opened.held(), app)
        assert.equal(keys.epoch, state.epoch)
        for (const { path, name } of names) assert.equal(await fileName(keys, path), name)
      }
    }
  })
}

test('the second implementation makes the vectors, byte for byte', () => {
  for (const unlocker of vectors.unlockers) {
    const secret = secretOf(unlocker.secret)
    const { id, name, created, stretch } = unlocker.atEpoch1
    assert.equal(second.wrappingKey(account, secret, stretch).toString('hex'), unlocker.wrappingKey)
    const made = second.unlocker({ account, epoch: 1, root: root(1) }, { id, name, created, secret, stretch }, unlocker.random)
    assert.deepEqual(made, unlocker.atEpoch1)
    assert.deepEqual(second.resealed({ account, epoch: 2, root: root(2) }, made, unlocker.random2), unlocker.atEpoch2)
    for (const epoch of [1, 2] as const) {
      const opened = second.openRow(account, epoch, unlocker[`atEpoch${epoch}`], secret)
      assert.deepEqual([opened.root, opened.madeAt, opened.check], [root(epoch), 1, vectors.roots[0]?.check])
    }
  }
  for (const { epoch, nonce, wrapped } of vectors.chain) {
    assert.equal(second.link(account, epoch, root(epoch), root(epoch + 1), hex(nonce)), wrapped)
    assert.deepEqual(second.openLink(account, epoch, root(epoch + 1), wrapped), root(epoch))
  }
  for (const { app, keys, names } of vectors.apps) {
    for (const epoch of [1, 2]) assert.equal(second.appKey(account, app, root(epoch)).toString('hex'), keys[epoch - 1])
    for (const { path, name } of names) assert.equal(second.fileName(account, app, root(1), path), name)
  }
})

test('what proves the recovery code is the same in both implementations', async () => {
  const { code, proof } = vectors.recovery
  assert.equal(await recoveryProof(code), proof)
  assert.equal(second.recoveryProof(code), proof)
  assert.equal(await recoveryProof(code.toLowerCase().replaceAll('-', ' ')), proof)
})

test('what one implementation enrols and rotates the other opens', async () => {
  const fresh = randomBytes(8).toString('hex')
  const theirs: second.Secret[] = [
    { kind: 'passkey', credential: 'AAEC', prf: randomBytes(32).toString('hex') },
    { kind: 'recovery', code: mintRecoveryCode() },
  ]
  const { unlockers, keys } = await enrolKeys({ account: fresh, unlockers: theirs.map(secret => ({ secret: ours(secret), name: secret.kind })), now: 5 })
  const { unlockers: next, link } = await keys.rotate({ state: { epoch: 1, unlockers, chain: [] }, drop: [], now: 6 })
  const opened = [unlockers, next].map((made, at) => theirs.map((secret, row) => second.openRow(fresh, at + 1, made[row] as second.Row, secret)))
  const [first, later] = [opened[0]?.[0]?.root, opened[1]?.[0]?.root]
  assert.ok(first !== undefined && later !== undefined && !first.equals(later))
  assert.deepEqual(opened[0]?.[1]?.root, first)
  assert.deepEqual(opened[1]?.[1]?.root, later)
  assert.deepEqual(second.openLink(fresh, 1, later, link.wrapped), first)
  for (const [made, epoch, key] of [
    [unlockers, 1, first],
    [next, 2, later],
  ] as const)
    for (const row of made) assert.equal(second.rowMac(fresh, epoch, key, row), row.mac)
  assert.equal(opened[1]?.[0]?.check, second.rootCheck(fresh, 1, first))
})
