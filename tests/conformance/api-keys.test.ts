import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, beforeEach, describe, test } from 'node:test'
import { deleteAccount, exportAccount } from '@deputy/contract/api-accounts'
import { listFiles, readFileUsage } from '@deputy/contract/api-files'
import { addUnlocker, enrolKeys, readKeyEpoch, readKeys, resetKeys, rotateKeys, setRecovery } from '@deputy/contract/api-keys'
import { startTestServer, type TestServer } from '../support/start-test-server.ts'
import { blobsOf, enrol, nameOf, put, refusedPut, testLink, testUnlocker, uploadFile } from '../support/stored-files.ts'
import { connectApp, ok, signUp, type TestPerson } from '../support/test-accounts.ts'

let server: TestServer
let person: TestPerson
let app: string

before(async () => {
  server = await startTestServer({ limits: { signIn: 10_000, write: 10_000 } })
  // The sweep at the start is over once this is.
  await server.sweep()
})
after(() => server.close())
beforeEach(async () => {
  person = await signUp(server)
  app = (await connectApp(server, person.token)).token
})

const proof = (): string => randomBytes(32).toString('base64url')
const stateOf = async () => ok(await server.call(readKeys, {}, person.token)).state
const link = testLink
const query = (sql: string, ...values: string[]) => {
  const database = new DatabaseSync(join(server.folder, 'rows.sqlite'), { readOnly: true })
  try {
    return database.prepare(sql).all(...values)
  } finally {
    database.close()
  }
}
const refused = async (answer: Promise<{ status: number; error?: string; message?: string }>) => {
  const { status, error, message } = await answer
  return [status, error, message]
}
const otherEpoch = [409, 'conflict', 'the key epoch is not the current one']

describe('enrolment', () => {
  test('before it there is no state; then it is answered as it came, to the account alone', async () => {
    assert.equal(await stateOf(), null)
    assert.deepEqual(ok(await server.call(readKeyEpoch, {}, app)), { epoch: null })
    const unlockers = [testUnlocker('a'), testUnlocker('b', 'passphrase'), testUnlocker('c', 'recovery')]
    ok(await server.call(enrolKeys, { unlockers, recovery: proof() }, person.token))
    assert.deepEqual(await stateOf(), { epoch: 1, unlockers, chain: [] })
    assert.deepEqual(ok(await server.call(readKeyEpoch, {}, app)), { epoch: 1 })
    assert.deepEqual(ok(await server.call(readKeyEpoch, {}, person.token)), { epoch: 1 })
    assert.equal((await server.call(readKeys, {}, app)).error, 'denied')
  })

  test('a second one is refused, and of two at once one wins whole', async () => {
    const first = server.call(enrolKeys, { unlockers: [testUnlocker('x')], recovery: null }, person.token)
    const second = server.call(enrolKeys, { unlockers: [testUnlocker('y'), testUnlocker('z')], recovery: null }, person.token)
    const statuses = (await Promise.all([first, second])).map(answer => answer.status)
    assert.deepEqual(new Set(statuses), new Set([200, 409]))
    const ids = (await stateOf())?.unlockers.map(one => one.id)
    assert.deepEqual(ids, statuses[0] === 200 ? ['x'] : ['y', 'z'])
    assert.deepEqual(await refused(server.call(enrolKeys, { unlockers: [testUnlocker('x')], recovery: null }, person.token)), [
      409,
      'conflict',
      'the account has keys already',
    ])
  })

  test('unlockers that cannot be one list are refused', async () => {
    const lists = [
      [testUnlocker('a'), testUnlocker('a', 'recovery')],
      [testUnlocker('a', 'recovery'), testUnlocker('b', 'recovery')],
      [testUnlocker('a', 'passphrase')],
      [{ ...testUnlocker('a'), credential: null }],
      [{ ...testUnlocker('a', 'recovery'), credential: 'x' }],
      [testUnlocker('b'), { ...testUnlocker('a', 'passphrase'), stretch: null }],
      [{ ...testUnlocker('a'), stretch: { salt: 'x', memory: 1, passes: 1, lanes: 1 } }],
      [{ ...testUnlocker('a'), mac: 'no base64url!' }],
      [],
    ]
    for (const unlockers of lists) assert.equal((await server.call(enrolKeys, { unlockers, recovery: null }, person.token)).error, 'invalid')
    assert.equal(await stateOf(), null)
  })

  test('what proves the recovery code is kept as its SHA-256 only', async () => {
    const given = proof()
    ok(await server.call(enrolKeys, { unlockers: [testUnlocker('a', 'recovery')], recovery: given }, person.token))
    const hash = createHash('sha256').update(given).digest('base64url')
    assert.deepEqual(
      query('select hash from recovery where account = ?', person.session.account.id).map(row => row['hash']),
      [hash],
    )
    const other = await signUp(server, 'Eve')
    assert.equal((await server.call(setRecovery, { recovery: given, epoch: null, unlocker: null }, other.token)).error, 'conflict')
    assert.deepEqual(
      query('select account from recovery where hash = ?', hash).map(row => row['account']),
      [person.session.account.id],
    )
  })
})

describe('unlockers and epochs', () => {
  test('an unlocker is added or replaced at the current epoch only', async () => {
    assert.deepEqual(await refused(server.call(addUnlocker, { epoch: 1, unlocker: testUnlocker('a') }, person.token)), otherEpoch)
    await enrol(server, person.token)
    const next = testUnlocker('second')
    ok(await server.call(addUnlocker, { epoch: 1, unlocker: next }, person.token))
    const replaced = { ...next, name: 'Renamed' }
    ok(await server.call(addUnlocker, { epoch: 1, unlocker: replaced }, person.token))
    assert.deepEqual((await stateOf())?.unlockers.slice(1), [replaced])
    assert.deepEqual(await refused(server.call(addUnlocker, { epoch: 2, unlocker: next }, person.token)), otherEpoch)
    ok(await server.call(addUnlocker, { epoch: 1, unlocker: testUnlocker('code', 'recovery') }, person.token))
    assert.equal((await server.call(addUnlocker, { epoch: 1, unlocker: testUnlocker('code2', 'recovery') }, person.token)).error, 'invalid')
  })

  test('there are at most 64 unlockers', async () => {
    const unlockers = Array.from({ length: 64 }, (_, index) => testUnlocker(`u${index}`))
    ok(await server.call(enrolKeys, { unlockers, recovery: null }, person.token))
    assert.equal((await server.call(addUnlocker, { epoch: 1, unlocker: testUnlocker('one-more') }, person.token)).error, 'too-many')
    ok(await server.call(addUnlocker, { epoch: 1, unlocker: testUnlocker('u5') }, person.token))
    const code = { recovery: proof(), epoch: 1, unlocker: testUnlocker('code', 'recovery') }
    assert.equal((await server.call(setRecovery, code, person.token)).error, 'too-many')
  })

  test('a rotation replaces the list and lengthens the chain; of two from one epoch exactly one wins', async () => {
    await enrol(server, person.token)
    const rotate = (id: string) =>
      server.call(rotateKeys, { from: 1, unlockers: [testUnlocker(id)], link: { ...link(1), wrapped: `d3Jh${id}` }, recovery: null }, person.token)
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map(rotate))
    assert.deepEqual(
      answers.map(answer => answer.status).toSorted((one, other) => one - other),
      [200, 409, 409, 409],
    )
    const winner = 'abcd'[answers.findIndex(answer => answer.status === 200)] ?? ''
    const state = await stateOf()
    assert.deepEqual([state?.epoch, state?.unlockers.map(one => one.id), state?.chain], [2, [winner], [{ epoch: 1, wrapped: `d3Jh${winner}` }]])
    const next = { from: 2, unlockers: [testUnlocker('e'), testUnlocker('f', 'recovery')], link: link(2), recovery: proof() }
    assert.deepEqual(ok(await server.call(rotateKeys, next, person.token)), { epoch: 3 })
    assert.deepEqual(
      (await stateOf())?.chain.map(one => one.epoch),
      [1, 2],
    )
    assert.equal((await server.call(rotateKeys, { ...next, from: 3 }, person.token)).error, 'invalid')
    assert.deepEqual(await refused(server.call(rotateKeys, next, person.token)), otherEpoch)
  })

  test('a writer of an old or a future epoch is refused, one without keys too', async () => {
    const name = nameOf('a')
    assert.deepEqual(await refusedPut(server, app, name, Buffer.from('x')), [403, 'denied', 'the account has no keys'])
    await enrol(server, person.token)
    await put(server, app, name, Buffer.from('x'))
    ok(await server.call(rotateKeys, { from: 1, unlockers: [testUnlocker('a')], link: link(1), recovery: null }, person.token))
    for (const epoch of [1, 3]) {
      assert.deepEqual(await refusedPut(server, app, name, Buffer.from('y'), { epoch }), otherEpoch)
      assert.deepEqual(await refusedPut(server, app, name, randomBytes(100_000), { epoch }), otherEpoch)
    }
    await put(server, app, name, Buffer.from('z'), { epoch: 2 })
  })
})

describe('the recovery code', () => {
  test('without keys only its proof is set, with keys its unlocker too', async () => {
    ok(await server.call(setRecovery, { recovery: proof(), epoch: null, unlocker: null }, person.token))
    const unlocker = testUnlocker('code', 'recovery')
    assert.equal((await server.call(setRecovery, { recovery: proof(), epoch: 1, unlocker }, person.token)).error, 'conflict')
    await enrol(server, person.token)
    assert.equal((await server.call(setRecovery, { recovery: proof(), epoch: null, unlocker: null }, person.token)).error, 'conflict')
    assert.deepEqual(await refused(server.call(setRecovery, { recovery: proof(), epoch: 2, unlocker }, person.token)), otherEpoch)
    assert.equal((await server.call(setRecovery, { recovery: proof(), epoch: 1, unlocker: testUnlocker('x') }, person.token)).error, 'invalid')
    const before = query('select hash from recovery where account = ?', person.session.account.id)
    ok(await server.call(setRecovery, { recovery: proof(), epoch: 1, unlocker }, person.token))
    ok(await server.call(setRecovery, { recovery: proof(), epoch: 1, unlocker: testUnlocker('code2', 'recovery') }, person.token))
    assert.deepEqual((await stateOf())?.unlockers.map(one => one.id).toSorted(), ['code2', 'first'])
    assert.notDeepEqual(query('select hash from recovery where account = ?', person.session.account.id), before)
  })
})

describe('giving up and leaving', () => {
  test('a reset removes keys, files and uploads, after the name was repeated', async () => {
    await enrol(server, person.token)
    await put(server, app, nameOf('small'), Buffer.from('small'))
    await put(server, app, nameOf('large'), randomBytes(100_000))
    await uploadFile(server, app, randomBytes(200_000))
    const { changed } = ok(await server.call(listFiles, { since: 0 }, app))
    assert.equal((await server.call(resetKeys, { name: 'Somebody' }, person.token)).error, 'invalid')
    assert.deepEqual(ok(await server.call(resetKeys, { name: 'Ada' }, person.token)), { files: 2, had: true })
    assert.equal(await stateOf(), null)
    const usage = ok(await server.call(readFileUsage, {}, app))
    assert.deepEqual([usage.usedBytes, usage.files], [0, 0])
    const later = ok(await server.call(listFiles, { since: changed }, app))
    assert.deepEqual([later.files, later.reset], [[], true])
    assert.deepEqual(ok(await server.call(resetKeys, { name: 'Ada' }, person.token)), { files: 0, had: false })
    await enrol(server, person.token, 2)
    const again = await put(server, app, nameOf('small'), Buffer.from('again'), { epoch: 2 })
    assert.ok(again.version > changed)
    await server.sweep()
    assert.deepEqual(await blobsOf(server.folder), [])
  })

  test('after a reset epochs go on: keys from before are those of an older one, and write nothing', async () => {
    await enrol(server, person.token)
    ok(await server.call(rotateKeys, { from: 1, unlockers: [testUnlocker('a')], link: link(1), recovery: null }, person.token))
    ok(await server.call(resetKeys, { name: 'Ada' }, person.token))
    assert.deepEqual(ok(await server.call(readKeys, {}, person.token)), { state: null, ended: 2 })
    const unlockers = [testUnlocker('b')]
    const enrolled = (epoch: number, chain = Array.from({ length: epoch - 1 }, (_, at) => link(at + 1))) =>
      refused(server.call(enrolKeys, { epoch, unlockers, chain, recovery: null }, person.token))
    assert.deepEqual(await refused(server.call(enrolKeys, { unlockers, recovery: null }, person.token)), otherEpoch, 'epoch 1 comes once')
    assert.deepEqual(await enrolled(2), otherEpoch)
    assert.deepEqual(await enrolled(4), otherEpoch)
    for (const chain of [[], [link(1)], [link(2), link(1)], [link(1), link(1)], [link(1), link(2), link(3)]])
      assert.deepEqual((await enrolled(3, chain)).slice(0, 2), [400, 'invalid'])
    await enrol(server, person.token, 3)
    assert.deepEqual(ok(await server.call(readKeyEpoch, {}, app)), { epoch: 3 })
    assert.deepEqual((await stateOf())?.chain, [link(1), link(2)])
    for (const epoch of [1, 2]) assert.deepEqual((await refusedPut(server, app, nameOf('old'), Buffer.from('x'), { epoch })).slice(0, 2), [409, 'conflict'])
    await put(server, app, nameOf('new'), Buffer.from('x'), { epoch: 3 })
    ok(await server.call(resetKeys, { name: 'Ada' }, person.token))
    ok(await server.call(resetKeys, { name: 'Ada' }, person.token))
    assert.equal(ok(await server.call(readKeys, {}, person.token)).ended, 3)
  })

  test('export has keys and files; deleting the account leaves nothing of them', async () => {
    await enrol(server, person.token)
    const name = nameOf('kept')
    await put(server, app, name, Buffer.from('kept'))
    await put(server, app, nameOf('large'), randomBytes(100_000))
    const exported = ok<typeof exportAccount>(await server.call(exportAccount, {}, person.token)) as { keys: unknown; files: { name: string }[] }
    assert.deepEqual(exported.keys, await stateOf())
    assert.deepEqual(
      exported.files.map(file => file.name),
      [name, nameOf('large')],
    )
    ok(await server.call(deleteAccount, { name: 'Ada' }, person.token))
    await server.sweep()
    const { id } = person.session.account
    for (const table of ['key_states', 'key_unlockers', 'key_ends', 'file_spaces', 'file_usage', 'file_days', 'file_blobs'])
      assert.deepEqual(query(`select account from ${table} where account = ?`, id), [], table)
    assert.deepEqual(query('select name from files where name = ?', name), [])
    assert.deepEqual(query('select name from file_contents where name = ?', name), [])
    assert.deepEqual(await blobsOf(server.folder), [])
  })
})
