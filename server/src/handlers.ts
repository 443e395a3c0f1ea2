import { emailBegin, emailFinish } from './accounts/email.ts'
import { accountDelete, accountExport } from './accounts/leave.ts'
import { oidcBegin, oidcFinish } from './accounts/oidc.ts'
import { passkeyBegin, passkeyFinish, passkeyList, passkeyRemove } from './accounts/passkeys.ts'
import { profileRead, profileUpdate } from './accounts/profile.ts'
import { recoverAccount } from './accounts/recover.ts'
import { signInBegin, signInFinish } from './accounts/sign-in.ts'
import { signUpBegin, signUpFinish } from './accounts/sign-up.ts'
import { authorize } from './apps/authorize.ts'
import { connected } from './apps/connected.ts'
import { disconnect } from './apps/disconnect.ts'
import { list as appList } from './apps/list.ts'
import { redeem } from './apps/redeem.ts'
import { fileGet, fileGetOf, fileRead } from './files/get.ts'
import { fileFind, fileList, fileListApp } from './files/list.ts'
import { filePut, filePutOf } from './files/put.ts'
import { fileRemove, fileRemoveApp } from './files/remove.ts'
import { fileAbort, fileAbortOf, fileBegin, fileBeginOf, fileCommit, fileCommitOf, filePart, filePartOf } from './files/uploads.ts'
import { fileApps, fileUsage } from './files/usage.ts'
import type { Handler } from './http/handler.ts'
import { keysAdd, keysEnrol, keysRecovery, keysRotate } from './keys/change.ts'
import { keysEpoch, keysRead } from './keys/read.ts'
import { keysReset } from './keys/reset.ts'
import { abort } from './objects/abort.ts'
import { complete } from './objects/complete.ts'
import { remove } from './objects/delete.ts'
import { list as objectList, listAccount } from './objects/list.ts'
import { part } from './objects/part.ts'
import { removeAny } from './objects/remove.ts'
import { reserve } from './objects/reserve.ts'
import { clear as roomClear, limit as roomLimit, list as roomList, unclaim as roomUnclaim } from './rooms/claimed.ts'
import { end } from './sessions/end.ts'
import { list as sessionList } from './sessions/list.ts'
import { renew } from './sessions/renew.ts'
import { revoke } from './sessions/revoke.ts'
import { beat as nodeBeat } from './tunnel/beat.ts'
import { body as tunnelBody, bodyByTicket as tunnelBodyByTicket } from './tunnel/body.ts'
import { lane as tunnelLane } from './tunnel/lane.ts'
import { nodes as tunnelNodes, open as tunnelOpen } from './tunnel/open.ts'
import { quotaRead, useRead } from './tunnel/quota.ts'
import { register as nodeRegister } from './tunnel/register.ts'
import { usage } from './usage/read.ts'

/** Every handler of the HTTP API. */
export const handlers: readonly Handler[] = [
  ...[signUpBegin, signUpFinish, signInBegin, signInFinish, emailBegin, emailFinish, recoverAccount, oidcBegin, oidcFinish],
  ...[profileRead, profileUpdate, passkeyList, passkeyBegin, passkeyFinish, passkeyRemove, accountExport, accountDelete],
  ...[renew, end, sessionList, revoke],
  ...[connected, authorize, redeem, appList, disconnect],
  ...[reserve, part, complete, abort, objectList, remove, listAccount, removeAny, usage],
  ...[keysRead, keysEpoch, keysEnrol, keysAdd, keysRotate, keysRecovery, keysReset],
  ...[filePut, fileGet, fileRead, fileBegin, filePart, fileCommit, fileAbort, fileRemove, fileList, fileFind, fileUsage],
  ...[fileApps, fileListApp, fileGetOf, filePutOf, fileBeginOf, filePartOf, fileCommitOf, fileAbortOf, fileRemoveApp],
  ...[roomList, roomClear, roomLimit, roomUnclaim],
  ...[tunnelNodes, tunnelOpen, tunnelBody, tunnelBodyByTicket, tunnelLane, quotaRead, useRead, nodeRegister, nodeBeat],
]
