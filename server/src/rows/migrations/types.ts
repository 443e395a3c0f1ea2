import type { Compilable, Kysely, SchemaModule } from 'kysely'

/** The column types of a database engine. */
export interface ColumnTypes {
  readonly whole: 'integer' | 'bigint'
  readonly bytes: 'blob' | 'bytea'
}

/** One step of the schema: the statements that take the rows there from the step before. Never changed once released. */
export interface Migration {
  readonly name: string
  statements(schema: SchemaModule, types: ColumnTypes, db: Kysely<unknown>): readonly Compilable[]
}
