import { sql } from 'kysely'
import type { Migration } from './types.ts'

/** Rooms, their seats and what they keep. */
export const rooms: Migration = {
  name: '002-rooms',
  statements: (schema, { whole }) => [
    schema
      .createTable('rooms')
      .addColumn('key', 'text', column => column.primaryKey().notNull())
      .addColumn('id', 'text', column => column.notNull().unique())
      .addColumn('epoch', whole, column => column.notNull())
      .addColumn('holder', 'text', column => column.notNull())
      .addColumn('lease_until', whole, column => column.notNull())
      .addColumn('n', whole, column => column.notNull())
      .addColumn('seq', whole, column => column.notNull())
      .addColumn('verifier', 'text', column => column.notNull())
      .addColumn('created', whole, column => column.notNull())
      .addColumn('member_cap', whole, column => column.notNull())
      .addColumn('max_bytes', whole)
      .addColumn('send', whole, column => column.notNull())
      .addColumn('receive', whole, column => column.notNull())
      .addColumn('owner', 'text', column => column.notNull())
      .addColumn('account', 'text')
      .addColumn('app', 'text')
      .addColumn('claimed_at', whole)
      .addColumn('description', 'text')
      .addColumn('mailbox', whole, column => column.notNull())
      .addColumn('mailbox_n', whole, column => column.notNull())
      .addColumn('expires_at', whole)
      .addColumn('archived_at', whole)
      .addColumn('cap', whole)
      .addColumn('bytes', whole, column => column.notNull())
      .addColumn('messages', whole, column => column.notNull()),
    schema.createIndex('rooms_account').on('rooms').columns(['account', 'claimed_at']),
    schema.createIndex('rooms_expires').on('rooms').column('expires_at'),
    schema.createIndex('rooms_lease').on('rooms').columns(['holder', 'lease_until']),
    schema
      .createTable('room_seats')
      .addColumn('room', 'text', column => column.notNull().references('rooms.key').onDelete('cascade'))
      .addColumn('member', 'text', column => column.notNull())
      .addColumn('token', 'text', column => column.notNull())
      .addColumn('token_before', 'text')
      .addColumn('account', 'text')
      .addColumn('app', 'text', column => column.notNull())
      .addColumn('device', 'text')
      .addColumn('credential', 'text', column => column.notNull())
      .addPrimaryKeyConstraint('room_seats_key', ['room', 'member']),
    schema
      .createTable('room_overrides')
      .addColumn('room', 'text', column => column.notNull().references('rooms.key').onDelete('cascade'))
      .addColumn('subject', 'text', column => column.notNull())
      .addColumn('data', 'text', column => column.notNull())
      .addPrimaryKeyConstraint('room_overrides_key', ['room', 'subject']),
    schema
      .createTable('room_blocks')
      .addColumn('room', 'text', column => column.notNull().references('rooms.key').onDelete('cascade'))
      .addColumn('member', 'text', column => column.notNull())
      .addColumn('account', 'text')
      .addColumn('device', 'text')
      .addPrimaryKeyConstraint('room_blocks_key', ['room', 'member']),
    schema
      .createTable('room_senders')
      .addColumn('room', 'text', column => column.notNull().references('rooms.key').onDelete('cascade'))
      .addColumn('member', 'text', column => column.notNull())
      .addColumn('account', 'text')
      .addColumn('credential', 'text', column => column.notNull())
      .addPrimaryKeyConstraint('room_senders_key', ['room', 'member']),
    schema
      .createTable('room_messages')
      .addColumn('room', 'text', column => column.notNull().references('rooms.key').onDelete('cascade'))
      .addColumn('seq', whole, column => column.notNull())
      .addColumn('n', whole, column => column.notNull())
      .addColumn('at', whole, column => column.notNull())
      .addColumn('sender', 'text', column => column.notNull())
      .addColumn('request', 'text', column => column.notNull())
      .addColumn('text', 'text', column => column.notNull())
      .addColumn('edited_by', 'text')
      .addColumn('revision', whole, column => column.notNull())
      .addPrimaryKeyConstraint('room_messages_key', ['room', 'seq']),
    schema
      .createIndex('room_messages_edited')
      .on('room_messages')
      .columns(['room', 'n'])
      .where(sql<boolean>`revision > 0`),
    schema
      .createTable('room_deletions')
      .addColumn('room', 'text', column => column.notNull().references('rooms.key').onDelete('cascade'))
      .addColumn('n', whole, column => column.notNull())
      .addColumn('at', whole, column => column.notNull())
      .addColumn('first', whole, column => column.notNull())
      .addColumn('last', whole, column => column.notNull())
      .addPrimaryKeyConstraint('room_deletions_key', ['room', 'n']),
    schema.createIndex('room_deletions_at').on('room_deletions').column('at'),
  ],
}
