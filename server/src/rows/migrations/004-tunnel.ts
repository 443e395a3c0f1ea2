import type { Migration } from './types.ts'

/** What accounts use of the tunnel, by day and app. */
export const tunnel: Migration = {
  name: '004-tunnel',
  statements: (schema, { whole }) => [
    schema
      .createTable('tunnel_days')
      .addColumn('account', 'text', column => column.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('day', whole, column => column.notNull())
      .addColumn('app', 'text', column => column.notNull())
      .addColumn('sent', whole, column => column.notNull())
      .addColumn('received', whole, column => column.notNull())
      .addPrimaryKeyConstraint('tunnel_days_key', ['account', 'day', 'app']),
  ],
}
