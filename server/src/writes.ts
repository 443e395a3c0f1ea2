import * as accounts from './accounts/writes.ts'
import * as apps from './apps/writes.ts'
import * as objects from './objects/writes.ts'
import * as operations from './operations/writes.ts'
import * as rooms from './rooms/writes.ts'
import * as sessions from './sessions/writes.ts'

/**
 * Every procedure that changes rows, by name. The writer thread loads this module; it must stay free of anything that listens,
 * opens or configures.
 */
export const writes = { ...accounts, ...apps, ...objects, ...operations, ...rooms, ...sessions }
