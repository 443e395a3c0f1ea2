import { concat, field, utf8Bytes } from './bytes.ts'
import type { HeldKeys } from './account-keys.ts'
import { deriveDerivable, deriveMac } from './derive.ts'
import { SealError } from './error.ts'

/** One app's keys of an account: structured-cloneable, one key per epoch from 1, none of which can be exported. */
export interface AppKeys {
  readonly account: string
  readonly app: string
  readonly epoch: number
  readonly keys: readonly { readonly epoch: number; readonly key: CryptoKey }[]
  /** Names files; of epoch 1 for ever, so that a file keeps its name. */
  readonly names: CryptoKey
}

/** The keys one app gets: nothing of another app's, or of the account's, follows from them. */
export async function appKeysOf({ account, epoch, roots }: HeldKeys, app: string): Promise<AppKeys> {
  const first = roots.find(root => root.epoch === 1)
  if (first === undefined) throw new SealError('integrity')
  const info = concat(utf8Bytes('deputy/app/v1'), field(app))
  const keys = roots.map(async root => ({ epoch: root.epoch, key: await deriveDerivable(root.key, account, info) }))
  const names = await deriveMac(first.key, account, concat(utf8Bytes('deputy/app/v1/names'), field(app)))
  return { account, app, epoch, keys: await Promise.all(keys), names }
}

/**
 * The app's key of one epoch.
 * @throws {SealError} `stale-epoch` for an epoch after these keys; `integrity` for none
 */
export function appKey({ epoch: newest, keys }: AppKeys, epoch: number): CryptoKey {
  const found = keys.find(key => key.epoch === epoch)
  if (found === undefined) throw new SealError(Number.isInteger(epoch) && epoch > newest ? 'stale-epoch' : 'integrity')
  return found.key
}
