import { RemoteError } from '@deputy/channel'
import { fsRefusals, type FsErrorCode } from '@deputy/contract/fs'
import type { Fail } from '@deputy/contract/shape'
import { SealError } from '@deputy/seal'
import type { Outcome } from '../api/api.ts'

/** A refusal of the contract's table, to throw within the broker. */
export function refusal(name: keyof typeof fsRefusals): RemoteError {
  const { code, message } = fsRefusals[name]
  return new RemoteError('FileError', message, code)
}

/** Whether it is the refusal of this name. */
export const isRefusal = (error: unknown, name: keyof typeof fsRefusals): boolean =>
  error instanceof RemoteError && error.code === fsRefusals[name].code && error.message === fsRefusals[name].message

/** The answer of a call; a refusal is an answer too, and whatever else fails is that the storage is unavailable. */
export async function told<T>(work: () => Promise<T>): Promise<T | Fail<FsErrorCode>> {
  try {
    return await work()
  } catch (error) {
    const { code, message } = refusalOf(error)
    return { error: code as FsErrorCode, message }
  }
}

/** What failed while sealing or opening, as a refusal. */
export function refusalOf(error: unknown): RemoteError {
  if (error instanceof RemoteError) return error
  if (!(error instanceof SealError)) return refusal('unavailable')
  if (error.code === 'stale-epoch') return refusal('staleEpoch')
  return refusal(error.code === 'invalid-entry' || error.code === 'invalid-size' ? 'badFile' : 'integrity')
}

/** The service's message for a write under an epoch that is not the account's newest. */
export const otherEpoch = 'the key epoch is not the current one'

const byCode = {
  quota: 'quota',
  'too-many': 'tooMany',
  'too-large': 'tooLarge',
  'not-found': 'notFound',
} as const satisfies Record<string, keyof typeof fsRefusals>

/** What an answer that is none means to the app. `over` is what a session that has just ended means to it. */
export function refusalBy(outcome: Exclude<Outcome<unknown>, { kind: 'answer' }>, over: keyof typeof fsRefusals): RemoteError {
  if (outcome.kind === 'unauthorized') return refusal(over)
  if (outcome.kind === 'unreachable') return refusal('unavailable')
  if (outcome.error === 'conflict') return refusal(outcome.message === otherEpoch ? 'staleEpoch' : 'changed')
  // The account has no keys, or no longer the ones these were.
  if (outcome.error === 'denied') return refusal('locked')
  return refusal(Object.hasOwn(byCode, outcome.error) ? byCode[outcome.error as keyof typeof byCode] : 'unavailable')
}
