import type { SeatCall, SeatRequest } from './call.ts'
import { claim, release, setMailbox } from './claims.ts'
import { backlog, credentials, find } from './history.ts'
import { block, defaults, grant, leave, limit, members, remove, revoke, setDefault, unblock, usage } from './members.ts'
import { drop, edit, send } from './messages.ts'

type Requests = { readonly [Type in SeatRequest]: (call: SeatCall<Type>) => void | Promise<void> }

/** Who answers which request of a seat. */
export const requests: Requests = {
  ...{ send, edit, delete: drop, backlog, find, credentials },
  ...{ members, leave, remove, block, unblock, grant, revoke, defaults, setDefault, limit, usage },
  ...{ claim, release, setMailbox },
}
