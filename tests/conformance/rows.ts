import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Rows } from '@deputy/server'
import type { writes } from '../support/rows-procedures.ts'

type TestRows = Rows<typeof writes>

/** Opens the implementation under test on nothing, with the procedures of `rows-procedures.ts`. */
export type OpenRows = () => Promise<{
  readonly rows: TestRows
  /** Closes and opens again on the same rows. */
  reopen(): Promise<TestRows>
  /** A path for a backup, and the rows of a backup. */
  readonly backupPath: string
  restore(): Promise<TestRows>
  close(): Promise<void>
}>

/** What every implementation of the rows seam must do. */
export function rowsSuite(name: string, open: OpenRows): void {
  describe(`rows: ${name}`, () => {
    let opened: Awaited<ReturnType<OpenRows>>
    let rows: TestRows
    before(async () => {
      opened = await open()
      rows = opened.rows
    })
    after(() => opened.close())

    const valueOf = async (of: TestRows, key: string): Promise<string | undefined> =>
      (await of.read.selectFrom('settings').select('value').where('name', '=', key).executeTakeFirst())?.value

    test('a write that was answered is seen by the next read', async () => {
      for (let round = 0; round < 50; round += 1) {
        await rows.write('set', { name: 'seen', value: String(round) })
        assert.equal(await valueOf(rows, 'seen'), String(round))
      }
    })

    test('writes started together all count, each alone', async () => {
      const answers = await Promise.all(Array.from({ length: 500 }, () => rows.write('increment', { name: 'count' })))
      assert.deepEqual(
        answers.toSorted((a, b) => a - b),
        Array.from({ length: 500 }, (_, index) => index + 1),
      )
      assert.equal(await valueOf(rows, 'count'), '500')
    })

    test('writes of one caller happen in their order', async () => {
      const answers = await Promise.all(Array.from({ length: 100 }, () => rows.write('increment', { name: 'ordered' })))
      assert.deepEqual(
        answers,
        answers.toSorted((a, b) => a - b),
      )
    })

    test('a procedure that throws leaves nothing, its neighbours keep what they did', async () => {
      const [before_, failed, after_] = await Promise.allSettled([
        rows.write('set', { name: 'before', value: '1' }),
        rows.write('setThenThrow', { name: 'failed', value: '1' }),
        rows.write('set', { name: 'after', value: '1' }),
      ])
      assert.deepEqual([before_.status, failed.status, after_.status], ['fulfilled', 'rejected', 'fulfilled'])
      assert.deepEqual([await valueOf(rows, 'before'), await valueOf(rows, 'failed'), await valueOf(rows, 'after')], ['1', undefined, '1'])
    })

    test('a row that breaks a unique key or a reference is refused', async () => {
      await rows.write('insert', { name: 'once', value: 'first' })
      await assert.rejects(rows.write('insert', { name: 'once', value: 'second' }))
      assert.equal(await valueOf(rows, 'once'), 'first')
      await assert.rejects(rows.write('grant', { account: 'nobody', app: 'web:https://app.example' }))
    })

    test('rows that refer to a removed row go with it', async () => {
      await rows.write('account', { id: 'ada', name: 'Ada', created: 1 })
      await rows.write('grant', { account: 'ada', app: 'web:https://app.example' })
      assert.equal(await rows.write('dropAccount', { id: 'ada' }), 1)
      assert.deepEqual(await rows.read.selectFrom('app_grants').selectAll().where('account', '=', 'ada').execute(), [])
    })

    test('texts and whole numbers come back as they were', async () => {
      const texts = ['', 'é\u0301 日本 🙂', "'; drop table accounts; --", '\\', 'a\nb']
      for (const text of texts) {
        await rows.write('set', { name: 'text', value: text })
        assert.equal(await valueOf(rows, 'text'), text)
      }
      await rows.write('account', { id: 'big', name: 'Big', created: Number.MAX_SAFE_INTEGER })
      const big = await rows.read.selectFrom('accounts').select(['created', 'image']).where('id', '=', 'big').executeTakeFirstOrThrow()
      assert.deepEqual({ ...big }, { created: Number.MAX_SAFE_INTEGER, image: null })
    })

    test('inputs and outputs cross as data', async () => {
      const value = { list: [1, null, 'two'], bytes: new Uint8Array([1, 2, 3]) }
      assert.deepEqual(await rows.write('echo', value), value)
    })

    test('a procedure nobody wrote is refused', async () => {
      for (const missing of ['missing', 'toString', '__proto__']) await assert.rejects(rows.write(missing as 'echo', {}))
    })

    test('a backup taken under writes is whole', async () => {
      await rows.write('set', { name: 'backed-up', value: 'yes' })
      const writing = Promise.all(Array.from({ length: 200 }, () => rows.write('increment', { name: 'during' })))
      await rows.backup(opened.backupPath)
      await writing
      const copy = await opened.restore()
      try {
        assert.equal(await valueOf(copy, 'backed-up'), 'yes')
        assert.deepEqual(await copy.check(), [])
      } finally {
        await copy.close()
      }
    })

    test('everything is there after closing and opening again, and what was in flight was finished', async () => {
      const writing = Promise.all(Array.from({ length: 100 }, () => rows.write('increment', { name: 'in-flight' })))
      const old = rows
      const reopening = opened.reopen()
      await writing
      rows = await reopening
      assert.equal(await valueOf(rows, 'in-flight'), '100')
      assert.equal(await valueOf(rows, 'count'), '500')
      await assert.rejects(old.write('increment', { name: 'in-flight' }))
      assert.deepEqual(await rows.check(), [])
    })
  })
}
