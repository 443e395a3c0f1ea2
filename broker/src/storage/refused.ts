import { refuse } from '@deputy/contract/refusals'
import type { StorageFail } from '@deputy/contract/storage'
import { storageRefusals } from '@deputy/contract/storage-refusals'
import type { Outcome } from '../api/api.ts'
import type { UploadFailure } from '../transfer/upload-wire.ts'

/** A refusal of the contract's table, as data. */
export const refused = (name: keyof typeof storageRefusals): StorageFail => refuse(storageRefusals[name])

/** The app's own signal fired. */
export const aborted: StorageFail = { error: 'aborted', message: 'storage: aborted' }

const byCode = {
  quota: 'quota',
  'too-many': 'tooMany',
  'too-many-this-hour': 'tooManyThisHour',
  'too-large': 'tooLarge',
} as const satisfies Record<string, keyof typeof storageRefusals>

/**
 * What an outcome that is no answer means to the app; `also` names the codes one route has a meaning of its own for. A session that
 * has just ended is a changed account: the call was pinned to one.
 */
export function refusedBy(
  outcome: Exclude<Outcome<unknown>, { kind: 'answer' }>,
  also: Readonly<Record<string, keyof typeof storageRefusals>> = {},
): StorageFail {
  if (outcome.kind === 'unauthorized') return refused('accountChanged')
  if (outcome.kind === 'unreachable') return refused('unavailable')
  const table: Readonly<Record<string, keyof typeof storageRefusals>> = { ...byCode, ...also }
  return refused(Object.hasOwn(table, outcome.error) ? (table[outcome.error] as keyof typeof storageRefusals) : 'unavailable')
}

const byFailure = { 'short-stream': 'shortStream', unauthorized: 'accountChanged', gone: 'unavailable', unavailable: 'unavailable' } as const

/** What a failed upload means to the app. */
export const refusedUpload = (failure: UploadFailure): StorageFail => refused(byFailure[failure])
