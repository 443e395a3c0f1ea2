import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appKeysOf, enrolKeys } from '@deputy/seal'
import type { AppFile } from './files.ts'
import { resealAll, type ResealAllNeeds, type ResealProgress } from './reseal-all.ts'

const passkey = { kind: 'passkey', credential: 'one', prf: new Uint8Array(32) } as const
const held = await (await enrolKeys({ account: 'ada', unlockers: [{ secret: passkey, name: '' }], now: 1, epoch: 2 })).keys.held()
const large = 2 ** 30
const fileOf = (name: string, epoch: number, size = 100): AppFile => ({
  row: { name, meta: 'm', version: 1, epoch, size, updatedAt: 0, changed: 1 },
  entry: { path: name, contentType: null, size, sealedAt: 1 },
})
const files: Readonly<Record<string, readonly AppFile[]>> = {
  notes: [fileOf('vast', 1, large), fileOf('old', 1), fileOf('new', 2), fileOf('bad', 1)],
  photos: [fileOf('huge', 1, large), fileOf('one', 1)],
}

async function run(over: Partial<ResealAllNeeds> = {}) {
  const did: string[] = []
  const told: ResealProgress[] = []
  const end = await resealAll({
    apps: Object.keys(files),
    keysOf: app => appKeysOf(held, app),
    list: async app => files[app] ?? [],
    reseal: async (keys, { row }) => {
      did.push(`${keys.app}/${row.name}`)
      return row.name === 'bad' ? 'broken' : row.name === 'huge' ? 'no-room' : 'sealed'
    },
    onProgress: progress => told.push(progress),
    signal: new AbortController().signal,
    ...over,
  })
  return { end, did, told }
}

test('files of an older epoch of every app are sealed again, the large ones last, and those that stay are counted', async () => {
  const { end, did, told } = await run()
  assert.deepEqual(did, ['notes/old', 'notes/bad', 'photos/one', 'notes/vast', 'photos/huge'])
  assert.deepEqual(end, { kind: 'done', broken: 1, noRoom: 1 })
  const bytes = 300 + 2 * large
  assert.deepEqual(told[0], { done: 0, files: 5, doneBytes: 0, bytes })
  assert.deepEqual(told.at(-1), { done: 5, files: 5, doneBytes: bytes, bytes })
})

test('a file under way counts for what of it is done', async () => {
  const { told } = await run({
    apps: ['notes'],
    reseal: async (_keys, { row }, { onProgress }) => {
      onProgress(row.size / 2)
      onProgress(row.size)
      return 'sealed'
    },
  })
  const done = told.map(({ doneBytes }) => doneBytes)
  assert.ok(done.includes(200 + large / 2))
  assert.equal(Math.max(...done), 200 + large)
})

test('keys that are no longer the newest, and a service that does not answer, end it before the large ones', async () => {
  for (const how of ['stale', 'failed'] as const) {
    const tried: string[] = []
    const { end } = await run({
      reseal: async (_keys, { row }) => {
        tried.push(row.name)
        return row.name === 'one' ? how : 'sealed'
      },
    })
    assert.equal(end.kind, how)
    assert.deepEqual(tried, ['old', 'bad', 'one'])
  }
  assert.equal((await run({ list: async () => 'locked' })).end.kind, 'stale')
  assert.equal((await run({ list: async () => 'failed' })).end.kind, 'failed')
})

test('stopped, no further file is begun', async () => {
  const stop = new AbortController()
  const begun: string[] = []
  const { end } = await run({
    signal: stop.signal,
    reseal: async (_keys, { row }, { signal }) => {
      begun.push(row.name)
      if (row.size === large) stop.abort()
      signal.throwIfAborted()
      return 'sealed'
    },
  })
  assert.equal(end.kind, 'stopped')
  assert.deepEqual(begun, ['old', 'bad', 'one', 'vast'])
})
