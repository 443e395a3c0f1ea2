import type { Migration } from './types.ts'

/** How far the reports of each tunnel node have been counted. */
export const tunnelNodes: Migration = {
  name: '006-tunnel-nodes',
  statements: (schema, { whole }) => [
    schema
      .createTable('tunnel_reports')
      .addColumn('node', 'text', column => column.primaryKey().notNull())
      .addColumn('instance', 'text', column => column.notNull())
      .addColumn('sequence', whole, column => column.notNull()),
  ],
}
