import { type Refusal, refuse } from '../http/handler.ts'
import type { Unlocker } from './writes.ts'

/** Why a list of unlockers cannot be a whole one, or null. What they hold is sealed and MACed by its owner; only its form is looked at. */
export function faultOf(unlockers: readonly Unlocker[]): Refusal | null {
  if (new Set(unlockers.map(one => one.id)).size < unlockers.length) return refuse('invalid', 'two unlockers have one id')
  if (unlockers.filter(one => one.kind === 'recovery').length > 1) return refuse('invalid', 'there may be one unlocker of kind recovery')
  if (unlockers.every(one => one.kind === 'passphrase')) return refuse('invalid', 'a passphrase may not be the only unlocker')
  return unlockers.map(formFault).find(fault => fault !== null) ?? null
}

/** Why an unlocker cannot be one of its kind, or null. */
export function formFault({ kind, credential, stretch }: Unlocker): Refusal | null {
  if ((kind === 'passkey') !== (credential !== null)) return refuse('invalid', 'an unlocker has a credential exactly when it is a passkey')
  if ((kind === 'passphrase') !== (stretch !== null)) return refuse('invalid', 'an unlocker is stretched exactly when it is a passphrase')
  return null
}

/** What the procedures refuse. */
export const refusals = {
  'no-account': refuse('unauthorized', 'the session is unknown or over'),
  'enrolled-before': refuse('conflict', 'the account has keys already'),
  'other-epoch': refuse('conflict', 'the key epoch is not the current one'),
  'no-unlocker': refuse('conflict', 'the account has keys, which the recovery code must open too'),
  'proof-taken': refuse('conflict', 'the recovery code is in use'),
  'second-recovery': refuse('invalid', 'there may be one unlocker of kind recovery'),
  'too-many': refuse('too-many', 'the account has as many unlockers as it may'),
} as const
