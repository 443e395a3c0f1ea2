import { sql } from 'kysely'
import type { Migration } from './types.ts'

/** Account keys, and files with what they count for. */
export const files: Migration = {
  name: '003-files',
  statements: (schema, { whole, bytes }) => [
    schema
      .createTable('key_states')
      .addColumn('account', 'text', column => column.primaryKey().notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('epoch', whole, column => column.notNull()),
    schema
      .createTable('key_unlockers')
      .addColumn('account', 'text', column => column.notNull().references('key_states.account').onDelete('cascade'))
      .addColumn('id', 'text', column => column.notNull())
      .addColumn('kind', 'text', column => column.notNull())
      .addColumn('name', 'text', column => column.notNull())
      .addColumn('created', whole, column => column.notNull())
      .addColumn('credential', 'text')
      .addColumn('public_key', 'text', column => column.notNull())
      .addColumn('wrapped_key', 'text', column => column.notNull())
      .addColumn('stretch', 'text')
      .addColumn('sealed_root', 'text', column => column.notNull())
      .addColumn('mac', 'text', column => column.notNull())
      .addPrimaryKeyConstraint('key_unlockers_key', ['account', 'id']),
    schema
      .createTable('key_links')
      .addColumn('account', 'text', column => column.notNull().references('key_states.account').onDelete('cascade'))
      .addColumn('epoch', whole, column => column.notNull())
      .addColumn('wrapped', 'text', column => column.notNull())
      .addPrimaryKeyConstraint('key_links_key', ['account', 'epoch']),
    // No reference to the account, here and below: its files outlive it until the sweep has removed their bytes.
    schema
      .createTable('file_spaces')
      .addColumn('id', 'text', column => column.primaryKey().notNull())
      .addColumn('account', 'text', column => column.notNull())
      .addColumn('app', 'text', column => column.notNull())
      .addColumn('changed', whole, column => column.notNull())
      .addColumn('pruned', whole, column => column.notNull())
      .addColumn('files', whole, column => column.notNull())
      .addColumn('bytes', whole, column => column.notNull())
      .addUniqueConstraint('file_spaces_app', ['account', 'app']),
    schema
      .createTable('files')
      .addColumn('space', 'text', column => column.notNull())
      .addColumn('name', 'text', column => column.notNull())
      .addColumn('meta', 'text', column => column.notNull())
      .addColumn('version', whole, column => column.notNull())
      .addColumn('epoch', whole, column => column.notNull())
      .addColumn('size', whole, column => column.notNull())
      .addColumn('updated_at', whole, column => column.notNull())
      .addColumn('blob', 'text')
      .addColumn('removed', whole, column => column.notNull())
      .addPrimaryKeyConstraint('files_key', ['space', 'name']),
    schema.createIndex('files_changed').on('files').columns(['space', 'version']).unique(),
    schema
      .createIndex('files_removed')
      .on('files')
      .column('updated_at')
      .where(sql<boolean>`removed = 1`),
    // Apart from the rows, so that a list reads no contents.
    schema
      .createTable('file_contents')
      .addColumn('space', 'text', column => column.notNull())
      .addColumn('name', 'text', column => column.notNull())
      .addColumn('bytes', bytes, column => column.notNull())
      .addPrimaryKeyConstraint('file_contents_key', ['space', 'name']),
    schema
      .createTable('file_blobs')
      .addColumn('id', 'text', column => column.primaryKey().notNull())
      .addColumn('account', 'text', column => column.notNull())
      .addColumn('app', 'text', column => column.notNull())
      .addColumn('size', whole, column => column.notNull())
      .addColumn('part_bytes', whole, column => column.notNull())
      .addColumn('status', 'text', column => column.notNull())
      .addColumn('created', whole, column => column.notNull())
      .addColumn('expires_at', whole, column => column.notNull()),
    schema.createIndex('file_blobs_account').on('file_blobs').columns(['account', 'status']),
    schema.createIndex('file_blobs_sweep').on('file_blobs').columns(['status', 'expires_at']),
    schema
      .createTable('file_parts')
      .addColumn('blob', 'text', column => column.notNull().references('file_blobs.id').onDelete('cascade'))
      .addColumn('part', whole, column => column.notNull())
      .addColumn('bytes', whole, column => column.notNull())
      .addPrimaryKeyConstraint('file_parts_key', ['blob', 'part']),
    schema
      .createTable('file_usage')
      .addColumn('account', 'text', column => column.primaryKey().notNull())
      .addColumn('files', whole, column => column.notNull())
      .addColumn('bytes', whole, column => column.notNull())
      .addColumn('reserved', whole, column => column.notNull())
      .addColumn('day', whole, column => column.notNull()),
    schema
      .createTable('file_days')
      .addColumn('account', 'text', column => column.notNull())
      .addColumn('day', whole, column => column.notNull())
      .addColumn('bytes', whole, column => column.notNull())
      .addPrimaryKeyConstraint('file_days_key', ['account', 'day']),
  ],
}
