import type { Handler } from './http/handler.ts'
import { end } from './sessions/end.ts'
import { list } from './sessions/list.ts'
import { renew } from './sessions/renew.ts'
import { revoke } from './sessions/revoke.ts'

/** Every handler of the HTTP API. */
export const handlers: readonly Handler[] = [renew, end, list, revoke]
