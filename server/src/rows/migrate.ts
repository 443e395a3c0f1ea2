import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
import { kyselyOver } from './sqlite-driver.ts'
import type { Migration } from './migrations/types.ts'

/** The database was written by another version of the schema. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

interface Step {
  readonly name: string
  readonly statements: readonly string[]
  readonly checksum: string
}

/**
 * Brings the tables to the newest step, all in one transaction. Only ever forward: a database with steps this version does not
 * know, or with another text of a step, is refused. `backup` is called first when there is something to lose.
 * @throws {MigrationError}
 */
export async function migrate(database: DatabaseSync, migrations: readonly Migration[], backup: (name: string) => Promise<void>): Promise<readonly string[]> {
  database.exec('create table if not exists migrations (name text not null primary key, checksum text not null, applied integer not null) strict')
  const applied = database.prepare('select name, checksum from migrations order by name').all()
  const steps = compile(kyselyOver<unknown>(database), migrations)
  for (const [index, row] of applied.entries()) {
    const step = steps[index]
    if (step === undefined || step.name !== row['name'])
      throw new MigrationError(
        `the database has the step ${String(row['name'])}, which this version does not know: use the version that wrote it, or restore a backup`,
      )
    if (step.checksum !== row['checksum']) throw new MigrationError(`the step ${step.name} in the database is another one than this version's`)
  }
  const pending = steps.slice(applied.length)
  const [next] = pending
  if (next === undefined) return []
  if (applied.length > 0) await backup(`before-${next.name}.sqlite`)
  database.exec('begin immediate')
  try {
    for (const step of pending) {
      for (const statement of step.statements) database.exec(statement)
      database.prepare('insert into migrations (name, checksum, applied) values (?, ?, ?)').run(step.name, step.checksum, Date.now())
    }
    database.exec('commit')
  } catch (error) {
    database.exec('rollback')
    throw error
  }
  return pending.map(step => step.name)
}

function compile(db: Kysely<unknown>, migrations: readonly Migration[]): Step[] {
  return migrations.map(migration => {
    const statements = migration.statements(db.schema, { whole: 'integer', bytes: 'blob' }, db).map(statement => {
      const { sql } = statement.compile()
      return sql.startsWith('create table') ? `${sql} strict` : sql
    })
    return { name: migration.name, statements, checksum: createHash('sha256').update(statements.join(';\n')).digest('hex') }
  })
}
