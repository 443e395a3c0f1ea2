import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, test } from 'node:test'
import { migrate, MigrationError } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import type { Migration } from './migrations/types.ts'

const one: Migration = { name: '001-one', statements: schema => [schema.createTable('one').addColumn('id', 'text')] }
const two: Migration = {
  name: '002-two',
  statements: schema => [schema.alterTable('one').addColumn('extra', 'text'), schema.createTable('two').addColumn('id', 'text')],
}

let database: DatabaseSync
let backups: string[]
const backup = async (name: string): Promise<void> => void backups.push(name)
beforeEach(() => {
  database = new DatabaseSync(':memory:')
  backups = []
})
const tables = (): unknown[] =>
  database
    .prepare("select name from sqlite_schema where type = 'table' order by name")
    .all()
    .map(row => row['name'])

test('steps are applied once, in order; only rows that could be lost are backed up', async () => {
  assert.deepEqual(await migrate(database, [one], backup), ['001-one'])
  assert.deepEqual(backups, [])
  assert.deepEqual(await migrate(database, [one], backup), [])
  assert.deepEqual(await migrate(database, [one, two], backup), ['002-two'])
  assert.deepEqual(backups, ['before-002-two.sqlite'])
  assert.deepEqual(tables(), ['migrations', 'one', 'two'])
})

test('a step that fails leaves nothing of any', async () => {
  const broken: Migration = {
    name: '003-broken',
    statements: schema => [schema.createTable('three').addColumn('id', 'text'), schema.createTable('one').addColumn('id', 'text')],
  }
  await assert.rejects(migrate(database, [one, two, broken], backup))
  assert.deepEqual(tables(), ['migrations'])
})

test('a database of a newer version, or with another text of a step, is refused', async () => {
  await migrate(database, [one, two], backup)
  await assert.rejects(migrate(database, [one], backup), MigrationError)
  const changed: Migration = { ...one, statements: schema => [schema.createTable('one').addColumn('other', 'text')] }
  await assert.rejects(migrate(database, [changed, two], backup), MigrationError)
})

test('the tables are strict', async () => {
  await migrate(database, migrations, backup)
  const loose = database
    .prepare("select name from pragma_table_list where schema = 'main' and type = 'table' and strict = 0 and name not like 'sqlite_%'")
    .all()
  assert.deepEqual(loose, [])
})
