import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from './base64url.ts'
import { randomBytes } from './bytes.ts'
import { appKeysOf, enrolKeys, fileName, mintRecoveryCode, openEntry, openKeys, sealEntry, type KeyState, type Unlocker } from './index.ts'
import { appKeys, enrolled, passkeySecret, rotated, unlocked } from './keys.test-support.ts'
import { stretchPassphrase } from './passphrase.ts'
import { rootKey, sealLink } from './root-key.ts'
import { makeUnlocker, sealedTo } from './unlocker.ts'

const integrity = { name: 'SealError', code: 'integrity' }
const wrongSecret = { name: 'SealError', code: 'wrong-secret' }
const stale = { name: 'SealError', code: 'stale-epoch' }
const one = await enrolled()
const two = await rotated(one)
const three = await rotated(two)

/** The state with one row changed. */
const altered = (state: KeyState, at: number, change: (row: Unlocker) => Partial<Unlocker>): KeyState => ({
  ...state,
  unlockers: state.unlockers.map((row, index) => (index === at ? { ...row, ...change(row) } : row)),
})
const opening = (state: KeyState, secret = one.passkey, account = one.account) => openKeys({ account, state, secret })
const flipped = (text: string, at = 20): string => text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)

test('every unlocker opens every epoch it is sealed to, and holds the keys of all before', async () => {
  for (const account of [one, two, three])
    for (const secret of [one.passkey, one.recovery]) {
      const keys = await unlocked(account, secret)
      assert.equal(keys.epoch, account.state.epoch)
      assert.deepEqual(
        (await keys.held()).roots.map(({ epoch }) => epoch),
        Array.from({ length: keys.epoch }, (_, at) => at + 1),
      )
    }
})

test('no key that is held can be exported, and all can be cloned', async () => {
  const held = structuredClone(await three.keys.held())
  const { keys, names } = await appKeysOf(held, 'web:https://app.example')
  for (const key of [...held.roots.map(root => root.key), ...keys.map(each => each.key), names]) {
    assert.equal(key.extractable, false)
    await assert.rejects(crypto.subtle.exportKey('raw', key))
  }
})

test('a secret of nobody, of another kind or of another passkey opens nothing', async () => {
  await assert.rejects(opening(two.state, passkeySecret()), wrongSecret)
  await assert.rejects(opening(two.state, passkeySecret('b3RoZXI')), wrongSecret)
  await assert.rejects(opening(two.state, { kind: 'recovery', code: mintRecoveryCode() }), wrongSecret)
  await assert.rejects(opening(two.state, { kind: 'passphrase', text: 'never set' }), wrongSecret)
  await assert.rejects(opening(two.state, { kind: 'recovery', code: 'not a code' }), { code: 'invalid-code' })
  await assert.rejects(opening(two.state, { kind: 'passkey', credential: 'Y3JlZGVudGlhbA', prf: new Uint8Array(16) }), { code: 'invalid-secret' })
})

test('the keys of one account do not open as another’s', async () => {
  await assert.rejects(opening(two.state, one.passkey, 'account-two'), wrongSecret)
})

test('a change in any member of any row is refused', async () => {
  const changes: Record<keyof Unlocker, (row: Unlocker) => Partial<Unlocker>> = {
    id: row => ({ id: flipped(row.id, 3) }),
    kind: () => ({ kind: 'passphrase' }),
    name: () => ({ name: 'Another' }),
    created: row => ({ created: row.created + 1 }),
    credential: () => ({ credential: 'b3RoZXI' }),
    publicKey: row => ({ publicKey: flipped(row.publicKey) }),
    wrappedKey: row => ({ wrappedKey: flipped(row.wrappedKey) }),
    stretch: () => ({ stretch: { salt: 'A'.repeat(22), memory: 65_536, passes: 3, lanes: 1 } }),
    sealedRoot: row => ({ sealedRoot: flipped(row.sealedRoot, 100) }),
    mac: row => ({ mac: flipped(row.mac) }),
  }
  for (const [member, change] of Object.entries(changes)) {
    // Another's row: the keys open, and tell.
    await assert.rejects(opening(altered(two.state, 1, change)), integrity, `${member} of another row`)
    // One's own row: it either no longer opens, or tells.
    await assert.rejects(opening(altered(two.state, 0, change)), { name: 'SealError', code: /^(integrity|wrong-secret)$/ }, `${member} of the own row`)
  }
})

test('a row the server made for a key pair of its own is refused, and never sealed to', async () => {
  const [theirs] = (await enrolKeys({ account: one.account, unlockers: [{ secret: passkeySecret('c2VydmVy'), name: 'x' }], now: 1 })).unlockers
  assert.ok(theirs)
  const state = { ...two.state, unlockers: [...two.state.unlockers, theirs] }
  await assert.rejects(opening(state), integrity)
  await assert.rejects(two.keys.rotate({ state, drop: [], now: 2 }), integrity)
  const swapped = altered(two.state, 1, () => ({ publicKey: theirs.publicKey }))
  await assert.rejects(two.keys.rotate({ state: swapped, drop: [], now: 2 }), integrity)
  const doubled = { ...two.state, unlockers: [...two.state.unlockers, ...two.state.unlockers] }
  await assert.rejects(opening(doubled), integrity)
})

test('a root key the server chose and sealed to the person’s own public key is refused, at the first epoch and at a later one', async () => {
  for (const epoch of [1, 2, 3]) {
    const chosen = await rootKey(one.account, epoch, randomBytes(32))
    const unlockers = await Promise.all(one.state.unlockers.map(row => sealedTo(chosen, row)))
    const before = await rootKey(one.account, 1, randomBytes(32))
    const between = await rootKey(one.account, 2, randomBytes(32))
    const chains = {
      1: [],
      2: [await sealLink(before, chosen)],
      3: [await sealLink(before, between), await sealLink(between, chosen)],
    }
    await assert.rejects(opening({ epoch, unlockers, chain: chains[epoch as 1 | 2 | 3] }), integrity, `epoch ${epoch}`)
    // The links that are true do not lead on from a root key that is not.
    if (epoch > 1) await assert.rejects(opening({ epoch, unlockers, chain: three.state.chain.slice(0, epoch - 1) }), integrity, `epoch ${epoch}`)
  }
})

test('a root key of another epoch, or another unlocker’s, is refused in a row', async () => {
  const [own, other] = two.state.unlockers
  assert.ok(own && other)
  await assert.rejects(opening(altered(two.state, 0, () => ({ sealedRoot: other.sealedRoot }))), integrity)
  await assert.rejects(opening({ ...three.state, unlockers: two.state.unlockers }), integrity)
  await assert.rejects(opening({ ...two.state, unlockers: three.state.unlockers }), integrity)
})

test('a chain with a link missing, changed, moved, doubled or of another account is refused', async () => {
  const [first, second] = three.state.chain
  assert.ok(first && second)
  const stranger = (await rotated(await rotated(await enrolled('account-two')))).state.chain
  const chains = {
    missing: [second],
    'all missing': [],
    changed: [first, { ...second, wrapped: flipped(second.wrapped) }],
    moved: [
      { ...first, wrapped: second.wrapped },
      { ...second, wrapped: first.wrapped },
    ],
    renumbered: [
      { ...second, epoch: 1 },
      { ...first, epoch: 2 },
    ],
    doubled: [first, second, second],
    'one more': [first, second, { ...second, epoch: 3 }],
    another: stranger,
    cut: [first, { ...second, wrapped: second.wrapped.slice(0, 40) }],
  }
  for (const [what, chain] of Object.entries(chains)) await assert.rejects(opening({ ...three.state, chain }), integrity, what)
  const shuffled = await opening({ ...three.state, chain: [second, first] })
  assert.equal(shuffled.epoch, 3)
})

test('a state older than one this device has seen is refused; an older one passed for a newer does not open', async () => {
  await assert.rejects(unlocked(two, one.passkey, 3), stale)
  assert.equal((await unlocked(three, one.passkey, 3)).epoch, 3)
  await assert.rejects(opening({ ...two.state, epoch: 3 }), integrity)
  await assert.rejects(opening({ ...two.state, epoch: 3, chain: three.state.chain }), integrity)
  for (const epoch of [0, -1, 1.5, 2 ** 32, Number.NaN]) await assert.rejects(opening({ ...two.state, epoch }), integrity, String(epoch))
})

test('an unlocker that was dropped opens nothing of the next epoch, not even put back by the server', async () => {
  const after = await rotated(two, { drop: [two.state.unlockers[0]?.id ?? ''] })
  assert.deepEqual(
    after.state.unlockers.map(({ kind }) => kind),
    ['recovery'],
  )
  await assert.rejects(unlocked(after, one.passkey), wrongSecret)
  const putBack = { ...after.state, unlockers: [...two.state.unlockers.slice(0, 1), ...after.state.unlockers] }
  await assert.rejects(opening(putBack), integrity)
  await assert.rejects(opening(putBack, one.recovery), integrity)
  assert.equal((await unlocked(after, one.recovery)).epoch, 3)
})

test('a rotation is from its own epoch only, and leaves a way in besides a passphrase', async () => {
  await assert.rejects(one.keys.rotate({ state: two.state, drop: [], now: 1 }), stale)
  const all = two.state.unlockers.map(({ id }) => id)
  const phrase = { secret: { kind: 'passphrase', text: 'a long passphrase' }, name: '' } as const
  await assert.rejects(two.keys.rotate({ state: two.state, drop: all, now: 1 }), { code: 'invalid-unlockers' })
  await assert.rejects(two.keys.rotate({ state: two.state, drop: all, add: [phrase], now: 1 }), { code: 'invalid-unlockers' })
  await assert.rejects(enrolKeys({ account: 'a', unlockers: [phrase], now: 1 }), { code: 'invalid-unlockers' })
  await assert.rejects(enrolKeys({ account: 'a', unlockers: [], now: 1 }), { code: 'invalid-unlockers' })
  for (const epoch of [0, 1.5, 10_001])
    await assert.rejects(enrolKeys({ account: 'a', unlockers: [{ secret: passkeySecret(), name: '' }], now: 1, epoch }), { code: 'invalid-epoch' })
})

test('an unlocker added at a later epoch opens that epoch and the next, and has no earlier one to be put into', async () => {
  const secret = passkeySecret('bmV3')
  const row = await two.keys.unlocker({ secret, name: 'New', now: 7 })
  const with2 = { ...two, state: { ...two.state, unlockers: [...two.state.unlockers, row] } }
  assert.equal((await unlocked(with2, secret)).epoch, 2)
  assert.equal((await unlocked(await rotated(with2), secret)).epoch, 3)
  await assert.rejects(opening({ ...one.state, unlockers: [...one.state.unlockers, row] }, secret), integrity)
})

test('a passphrase opens however its letters are composed, and is never stretched below the floor or beyond the ceiling', async () => {
  const root = await rootKey('account-one', 1, randomBytes(32))
  const row = await makeUnlocker(root, { secret: { kind: 'passphrase', text: 'caf\u00e9 au lait' }, name: '' }, 1)
  const state = { epoch: 1, unlockers: [row], chain: [] }
  assert.equal((await opening(state, { kind: 'passphrase', text: 'cafe\u0301 au lait' })).epoch, 1)
  await assert.rejects(opening(state, { kind: 'passphrase', text: 'cafe au lait' }), wrongSecret)
  await assert.rejects(opening(state, { kind: 'passphrase', text: '' }), { code: 'invalid-secret' })
  const { stretch } = row
  assert.ok(stretch)
  assert.deepEqual([stretch.memory, stretch.passes, stretch.lanes], [65_536, 3, 1])
  for (const weaker of [
    { memory: 65_535 },
    { memory: 8 },
    { passes: 2 },
    { passes: 1 },
    { lanes: 0 },
    { lanes: 5 },
    { memory: 2_000_000 },
    { passes: 10_000 },
    { salt: 'AAAA' },
  ]) {
    const hostile = altered(state, 0, () => ({ stretch: { ...stretch, ...weaker } }))
    await assert.rejects(opening(hostile, { kind: 'passphrase', text: 'café au lait' }), integrity, JSON.stringify(weaker))
    const salt = new Uint8Array('salt' in weaker ? 3 : 16)
    await assert.rejects(stretchPassphrase('x', salt, { ...stretch, ...weaker }), integrity)
  }
  await assert.rejects(
    opening(
      altered(state, 0, () => ({ stretch: null })),
      { kind: 'passphrase', text: 'café au lait' },
    ),
    integrity,
  )
  const other = { ...stretch, salt: encode(randomBytes(16)) }
  await assert.rejects(
    opening(
      altered(state, 0, () => ({ stretch: other })),
      { kind: 'passphrase', text: 'café au lait' },
    ),
    wrongSecret,
  )
})

test('the keys of another app or account open no entry and give other names', async () => {
  const [own, app, account] = await Promise.all([appKeys(three), appKeys(three, 'web:https://other.example'), appKeys(await enrolled('account-two'))])
  const entry = { path: 'a', contentType: null, size: 1, sealedAt: 2 }
  const [name, meta] = await Promise.all([fileName(own, 'a'), sealEntry(own, entry)])
  assert.deepEqual(await openEntry(own, { name, epoch: 3, meta }), entry)
  assert.equal(await fileName(await appKeys(one), 'a'), name)
  for (const stranger of [app, account]) assert.notEqual(await fileName(stranger, 'a'), name)
  await assert.rejects(openEntry(app, { name, epoch: 3, meta }), integrity)
  await assert.rejects(openEntry({ ...own, app: app.app }, { name, epoch: 3, meta }), integrity)
  await assert.rejects(openEntry({ ...own, account: 'account-two' }, { name, epoch: 3, meta }), integrity)
  await assert.rejects(openEntry(account, { name, epoch: 3, meta }), stale)
})

test('keys made after a reset are of a later epoch, and share nothing with those from before', async () => {
  const before = await rotated(await enrolled('account-one'))
  const secret = passkeySecret()
  const made = await enrolKeys({ account: 'account-one', unlockers: [{ secret, name: '' }], now: 2, epoch: 3 })
  const state = { epoch: made.epoch, unlockers: made.unlockers, chain: made.chain }
  assert.deepEqual([state.epoch, state.chain.map(({ epoch }) => epoch)], [3, [1, 2]])
  const opened = await openKeys({ account: 'account-one', state, secret, seenEpoch: 2 })
  const [old, fresh, again] = await Promise.all([appKeys(before), appKeys(made), appKeys({ keys: opened })])
  const entry = { path: '/a', contentType: null, size: 1, sealedAt: 1 }
  const name = await fileName(fresh, '/a')
  assert.notEqual(await fileName(old, '/a'), name)
  const meta = await sealEntry(fresh, entry)
  assert.deepEqual(await openEntry(again, { name, epoch: 3, meta }), entry)
  await assert.rejects(openEntry(old, { name, epoch: 3, meta }), { code: 'stale-epoch' })
  for (const epoch of [1, 2]) await assert.rejects(openEntry(old, { name, epoch, meta }), { code: 'integrity' })
  const oldMeta = await sealEntry(old, entry)
  await assert.rejects(openEntry(fresh, { name: await fileName(old, '/a'), epoch: 2, meta: oldMeta }), { code: 'integrity' })
})
