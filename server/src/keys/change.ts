import { addUnlocker, enrolKeys, rotateKeys, setRecovery } from '@deputy/contract/api-keys'
import { handler, refuse } from '../http/handler.ts'
import { proofHash } from '../recovery-proof.ts'
import { faultOf, formFault, refusals } from './faults.ts'

const hashed = (proof: string | null): string | null => (proof === null ? null : proofHash(proof))

/** Makes the account's first keys, or those after a reset. */
export const keysEnrol = handler(enrolKeys, async ({ unlockers, recovery, epoch = 1, chain = [] }, { session, rows, clock }) => {
  const fault = faultOf(unlockers)
  if (fault !== null) return fault
  if (chain.length !== epoch - 1 || chain.some((link, at) => link.epoch !== at + 1)) return refuse('invalid', 'the chain is not that of the epochs before')
  const outcome = await rows.write('enrolKeys', { account: session.account, epoch, unlockers, chain, recovery: hashed(recovery), now: clock.now() })
  return outcome === 'enrolled' ? {} : refusals[outcome]
})

/** Adds a way of opening the keys. */
export const keysAdd = handler(addUnlocker, async ({ epoch, unlocker }, { session, rows }) => {
  const fault = formFault(unlocker)
  if (fault !== null) return fault
  const outcome = await rows.write('addUnlocker', { account: session.account, epoch, unlocker })
  return outcome === 'added' ? {} : refusals[outcome]
})

/** Moves to the next epoch. */
export const keysRotate = handler(rotateKeys, async ({ from, unlockers, link, recovery }, { session, rows, clock }) => {
  const fault = faultOf(unlockers)
  if (fault !== null) return fault
  if (link.epoch !== from) return refuse('invalid', 'the link is not that of the epoch that ends')
  const { account } = session
  const outcome = await rows.write('rotateKeys', { account, from, unlockers, link, recovery: hashed(recovery), now: clock.now() })
  return outcome === 'rotated' ? { epoch: from + 1 } : refusals[outcome]
})

/** Replaces the recovery code. */
export const keysRecovery = handler(setRecovery, async ({ recovery, epoch, unlocker }, { session, rows, clock }) => {
  if (unlocker !== null && unlocker.kind !== 'recovery') return refuse('invalid', 'the unlocker is not of kind recovery')
  if (unlocker !== null && epoch === null) return refuse('invalid', 'an unlocker is one of an epoch')
  const fault = unlocker === null ? null : formFault(unlocker)
  if (fault !== null) return fault
  const { account } = session
  const outcome = await rows.write('setRecovery', { account, recovery: proofHash(recovery), epoch, unlocker, now: clock.now() })
  return outcome === 'set' ? {} : refusals[outcome]
})
