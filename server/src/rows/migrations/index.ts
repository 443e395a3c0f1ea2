import { start } from './001-start.ts'
import type { Migration } from './types.ts'

/** Every step of the schema, oldest first. */
export const migrations: readonly Migration[] = [start]
