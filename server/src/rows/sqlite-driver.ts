import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely'

const statementsKept = 500

/** Opens a database file in WAL mode with every commit flushed, and reads the settings back. @throws when they did not take. */
export function openDatabase(file: string, { readOnly = false }: { readOnly?: boolean } = {}): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly, timeout: 5000 })
  try {
    if (!readOnly) database.exec('pragma journal_mode = wal')
    database.exec('pragma synchronous = full; pragma foreign_keys = on; pragma trusted_schema = off')
    const expected = { journal_mode: 'wal', synchronous: 2, foreign_keys: 1 }
    for (const [name, value] of Object.entries(expected)) {
      const row = database.prepare(`pragma ${name}`).get() ?? {}
      if (row[name] !== value) throw new Error(`the database at ${file} refuses ${name} = ${value}`)
    }
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Kysely over an open database. Statements are prepared once and kept. */
export function kyselyOver<Schema>(database: DatabaseSync): Kysely<Schema> {
  const kept = new Map<string, SqliteStatement>()
  const prepare = (sql: string): SqliteStatement => {
    const known = kept.get(sql)
    if (known !== undefined) return known
    const statement = adapt(database.prepare(sql))
    const [oldest] = kept.keys()
    if (kept.size >= statementsKept && oldest !== undefined) kept.delete(oldest)
    kept.set(sql, statement)
    return statement
  }
  const adapter: SqliteDatabase = { prepare, close: () => database.close() }
  return new Kysely<Schema>({ dialect: new SqliteDialect({ database: adapter }) })
}

/** Everything a full check of the database finds wrong, in words. */
export function faultsOf(database: DatabaseSync): string[] {
  const broken = database
    .prepare('pragma integrity_check')
    .all()
    .map(row => String(row['integrity_check']))
  const dangling = database
    .prepare('pragma foreign_key_check')
    .all()
    .map(row => `a row of ${String(row['table'])} refers to a missing row of ${String(row['parent'])}`)
  return [...broken.filter(line => line !== 'ok'), ...dangling]
}

const adapt = (statement: StatementSync): SqliteStatement => ({
  reader: statement.columns().length > 0,
  all: parameters => statement.all(...(parameters as SQLInputValue[])),
  run: parameters => statement.run(...(parameters as SQLInputValue[])),
  iterate: parameters => statement.iterate(...(parameters as SQLInputValue[])),
})
