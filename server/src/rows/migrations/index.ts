import { start } from './001-start.ts'
import { rooms } from './002-rooms.ts'
import { files } from './003-files.ts'
import { tunnel } from './004-tunnel.ts'
import { keyEnds } from './005-key-ends.ts'
import { tunnelNodes } from './006-tunnel-nodes.ts'
import type { Migration } from './types.ts'

/** Every step of the schema, oldest first. */
export const migrations: readonly Migration[] = [start, rooms, files, tunnel, keyEnds, tunnelNodes]
