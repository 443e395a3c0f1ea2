import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Actor } from './acting.ts'
import type { FileRow } from './entries.ts'
import { keptRows } from './kept-rows.ts'

const row = (name: string, changed: number) => ({ name, changed, version: changed, meta: `${name}${changed}` }) as FileRow

/** A service that keeps rows by name and tells of changes, and of no removal before `pruned`. */
function scene(account = 'ada') {
  const service = { rows: new Map<string, FileRow>(), removed: new Map<string, number>(), changed: 0, pruned: 0, asked: [] as number[] }
  const put = (name: string): void => {
    service.changed += 1
    service.rows.set(name, row(name, service.changed))
    service.removed.delete(name)
  }
  const remove = (name: string): void => {
    service.changed += 1
    service.rows.delete(name)
    service.removed.set(name, service.changed)
  }
  const call = async (_route: unknown, { since }: { since: number }) => {
    service.asked.push(since)
    const files = [...service.rows.values()].filter(({ changed }) => changed > since)
    const removed = since === 0 ? [] : [...service.removed].filter(([, changed]) => changed > since && changed > service.pruned).map(([name]) => name)
    return { files, removed, changed: service.changed, more: false, reset: since > 0 && (since < service.pruned || since > service.changed) }
  }
  return { service, put, remove, actor: { account, call } as unknown as Actor }
}
const names = (rows: readonly FileRow[]): string[] => rows.map(({ meta }) => meta).toSorted()

test('only what changed since is asked for again, and what was removed is gone', async () => {
  const { service, put, remove, actor } = scene()
  const kept = keptRows()
  for (const name of ['a', 'b', 'c']) put(name)
  assert.deepEqual(names(await kept.all(actor)), ['a1', 'b2', 'c3'])
  put('a')
  remove('b')
  put('d')
  assert.deepEqual(names(await kept.all(actor)), ['a4', 'c3', 'd6'])
  assert.deepEqual(names(await kept.all(actor)), ['a4', 'c3', 'd6'])
  assert.deepEqual(service.asked, [0, 3, 6])
})

test('a service that no longer knows what was removed is asked for everything, as it is for another account and after clear', async () => {
  const { service, put, remove, actor } = scene()
  const kept = keptRows()
  put('a')
  put('b')
  await kept.all(actor)
  remove('a')
  put('b')
  service.pruned = 3
  assert.deepEqual(names(await kept.all(actor)), ['b4'])
  const other = scene('grace')
  other.put('z')
  assert.deepEqual(names(await kept.all(other.actor)), ['z1'])
  assert.deepEqual(names(await kept.all(actor)), ['b4'])
  kept.clear()
  await kept.all(actor)
  assert.deepEqual(service.asked, [0, 2, 0, 0, 0])
})

test('a long list is asked for in pages, each told as it comes, and a service that does not go on is given up', async () => {
  const all = Array.from({ length: 2500 }, (_, index) => row(String(index), index + 1))
  const told: number[] = []
  const actor = (stuck: boolean) =>
    ({
      account: 'ada',
      call: async (_route: unknown, { since, limit }: { since: number; limit: number }) => {
        const files = all.slice(since, since + limit)
        return { files, removed: [], changed: stuck ? 0 : since + files.length, more: since + files.length < all.length, reset: false }
      },
    }) as unknown as Actor
  assert.equal((await keptRows().all(actor(false), rows => told.push(rows.length))).length, all.length)
  assert.ok(told.length > 1 && told.reduce((sum, count) => sum + count) === all.length)
  await assert.rejects(keptRows().all(actor(true)), { code: 'unavailable' })
})
