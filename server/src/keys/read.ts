import { readKeyEpoch, readKeys } from '@deputy/contract/api-keys'
import { handler } from '../http/handler.ts'

/** The account's key state: all that its owner needs to open it, and nothing that opens by itself. */
export const keysRead = handler(readKeys, async (_input, { session, rows, keyState }) => {
  const { account } = session
  const state = await keyState(account)
  const ended = await rows.read.selectFrom('key_ends').select('epoch').where('account', '=', account).executeTakeFirst()
  return ended === undefined ? { state } : { state, ended: ended.epoch }
})

/** The current epoch. */
export const keysEpoch = handler(readKeyEpoch, async (_input, { session, rows }) => {
  const found = await rows.read.selectFrom('key_states').select('epoch').where('account', '=', session.account).executeTakeFirst()
  return { epoch: found?.epoch ?? null }
})
