import * as accounts from './accounts/writes.ts'
import * as apps from './apps/writes.ts'
import * as files from './files/writes.ts'
import * as keys from './keys/writes.ts'
import * as objects from './objects/writes.ts'
import * as operations from './operations/writes.ts'
import * as rooms from './rooms/writes.ts'
import * as sessions from './sessions/writes.ts'
import * as tunnel from './tunnel/writes.ts'

/**
 * Every procedure that changes rows, by name. The writer thread loads this module; it must stay free of anything that listens,
 * opens or configures.
 */
export const writes = { ...accounts, ...apps, ...files, ...keys, ...objects, ...operations, ...rooms, ...sessions, ...tunnel }
