import type { Migration } from './types.ts'

/** At which epoch keys were given up, so that those made anew come after it. */
export const keyEnds: Migration = {
  name: '005-key-ends',
  statements: (schema, { whole }) => [
    schema
      .createTable('key_ends')
      .addColumn('account', 'text', column => column.primaryKey().notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('epoch', whole, column => column.notNull()),
  ],
}
