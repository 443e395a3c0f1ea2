import type { Migration } from './types.ts'

/** The first tables. */
export const start: Migration = {
  name: '001-start',
  statements: (schema, { whole }) => [
    schema
      .createTable('accounts')
      .addColumn('id', 'text', column => column.primaryKey().notNull())
      .addColumn('name', 'text', column => column.notNull())
      .addColumn('image', 'text')
      .addColumn('email', 'text', column => column.unique())
      .addColumn('admin', whole, column => column.notNull())
      .addColumn('premium', whole, column => column.notNull())
      .addColumn('premium_until', whole)
      .addColumn('created', whole, column => column.notNull()),
    schema
      .createTable('passkeys')
      .addColumn('id', 'text', column => column.primaryKey().notNull())
      .addColumn('account', 'text', column => column.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('name', 'text', column => column.notNull())
      .addColumn('public_key', 'text', column => column.notNull())
      .addColumn('counter', whole, column => column.notNull())
      .addColumn('transports', 'text', column => column.notNull())
      .addColumn('created', whole, column => column.notNull())
      .addColumn('last_used', whole),
    schema.createIndex('passkeys_account').on('passkeys').column('account'),
    schema
      .createTable('ceremonies')
      .addColumn('id', 'text', column => column.primaryKey().notNull())
      .addColumn('kind', 'text', column => column.notNull())
      .addColumn('account', 'text', column => column.references('accounts.id').onDelete('cascade'))
      .addColumn('data', 'text', column => column.notNull())
      .addColumn('expires_at', whole, column => column.notNull()),
    schema.createIndex('ceremonies_expires').on('ceremonies').column('expires_at'),
    schema.createIndex('ceremonies_account').on('ceremonies').column('account'),
    schema
      .createTable('email_codes')
      .addColumn('ceremony', 'text', column => column.primaryKey().notNull())
      .addColumn('email', 'text', column => column.notNull())
      .addColumn('hash', 'text', column => column.notNull())
      .addColumn('tries', whole, column => column.notNull())
      .addColumn('created', whole, column => column.notNull())
      .addColumn('expires_at', whole, column => column.notNull()),
    schema.createIndex('email_codes_email').on('email_codes').columns(['email', 'created']),
    schema.createIndex('email_codes_expires').on('email_codes').column('expires_at'),
    schema
      .createTable('recovery')
      .addColumn('account', 'text', column => column.primaryKey().notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('hash', 'text', column => column.notNull().unique())
      .addColumn('created', whole, column => column.notNull()),
    schema
      .createTable('oidc_links')
      .addColumn('issuer', 'text', column => column.notNull())
      .addColumn('subject', 'text', column => column.notNull())
      .addColumn('account', 'text', column => column.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('created', whole, column => column.notNull())
      .addPrimaryKeyConstraint('oidc_links_key', ['issuer', 'subject']),
    schema.createIndex('oidc_links_account').on('oidc_links').column('account'),
    schema
      .createTable('sessions')
      .addColumn('id', 'text', column => column.primaryKey().notNull())
      .addColumn('account', 'text', column => column.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('app', 'text')
      .addColumn('device', 'text', column => column.notNull())
      .addColumn('created', whole, column => column.notNull())
      .addColumn('last_used', whole, column => column.notNull())
      .addColumn('expires_at', whole, column => column.notNull()),
    schema.createIndex('sessions_account').on('sessions').columns(['account', 'app']),
    schema.createIndex('sessions_expires').on('sessions').column('expires_at'),
    schema
      .createTable('session_tokens')
      .addColumn('hash', 'text', column => column.primaryKey().notNull())
      .addColumn('session', 'text', column => column.notNull().references('sessions.id').onDelete('cascade'))
      .addColumn('issued_at', whole, column => column.notNull())
      .addColumn('retired_at', whole),
    schema.createIndex('session_tokens_session').on('session_tokens').column('session'),
    schema.createIndex('session_tokens_retired').on('session_tokens').column('retired_at'),
    schema
      .createTable('app_grants')
      .addColumn('account', 'text', column => column.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('app', 'text', column => column.notNull())
      .addColumn('connected_at', whole, column => column.notNull())
      .addColumn('last_used', whole, column => column.notNull())
      .addPrimaryKeyConstraint('app_grants_key', ['account', 'app']),
    schema
      .createTable('app_codes')
      .addColumn('hash', 'text', column => column.primaryKey().notNull())
      .addColumn('account', 'text', column => column.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('app', 'text', column => column.notNull())
      .addColumn('challenge', 'text', column => column.notNull())
      .addColumn('expires_at', whole, column => column.notNull()),
    schema.createIndex('app_codes_account').on('app_codes').column('account'),
    schema.createIndex('app_codes_expires').on('app_codes').column('expires_at'),
    // No reference to the account: its objects outlive it as deleted rows until the sweep has removed their bytes.
    schema
      .createTable('objects')
      .addColumn('id', 'text', column => column.primaryKey().notNull())
      .addColumn('account', 'text', column => column.notNull())
      .addColumn('app', 'text', column => column.notNull())
      .addColumn('size', whole, column => column.notNull())
      .addColumn('sealed_size', whole, column => column.notNull())
      .addColumn('part_records', whole, column => column.notNull())
      .addColumn('status', 'text', column => column.notNull())
      .addColumn('created', whole, column => column.notNull())
      .addColumn('expires_at', whole, column => column.notNull())
      .addColumn('ready_at', whole),
    schema.createIndex('objects_account').on('objects').columns(['account', 'created', 'id']),
    schema.createIndex('objects_app').on('objects').columns(['account', 'app', 'created', 'id']),
    schema.createIndex('objects_sweep').on('objects').columns(['status', 'expires_at']),
    schema
      .createTable('object_parts')
      .addColumn('object', 'text', column => column.notNull().references('objects.id').onDelete('cascade'))
      .addColumn('part', whole, column => column.notNull())
      .addColumn('bytes', whole, column => column.notNull())
      .addPrimaryKeyConstraint('object_parts_key', ['object', 'part']),
    schema
      .createTable('object_hours')
      .addColumn('account', 'text', column => column.notNull())
      .addColumn('hour', whole, column => column.notNull())
      .addColumn('objects', whole, column => column.notNull())
      .addPrimaryKeyConstraint('object_hours_key', ['account', 'hour']),
    schema
      .createTable('object_usage')
      .addColumn('account', 'text', column => column.primaryKey().notNull())
      .addColumn('objects', whole, column => column.notNull())
      .addColumn('bytes', whole, column => column.notNull()),
    schema.createTable('retired_objects').addColumn('id', 'text', column => column.primaryKey().notNull()),
    schema
      .createTable('settings')
      .addColumn('name', 'text', column => column.primaryKey().notNull())
      .addColumn('value', 'text', column => column.notNull()),
  ],
}
