import type { AppKeys } from '@deputy/seal'

const isKey = (value: unknown, algorithm: string, usages: readonly KeyUsage[]): value is CryptoKey =>
  value instanceof CryptoKey &&
  value.type === 'secret' &&
  !value.extractable &&
  value.algorithm.name === algorithm &&
  usages.every(usage => value.usages.includes(usage))

const isEpoch = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 1

/**
 * Keys of this app as another window of the broker handed them over, or null when they are none: one key of every epoch from the
 * first to the newest, none of which can be exported, all of the right algorithm.
 */
export function appKeysFrom(value: unknown, app: string): AppKeys | null {
  if (typeof value !== 'object' || value === null) return null
  const { account, app: of, epoch, keys, names } = value as Partial<Record<keyof AppKeys, unknown>>
  if (typeof account !== 'string' || of !== app || !isEpoch(epoch) || !Array.isArray(keys) || keys.length !== epoch) return null
  const found: { epoch: number; key: CryptoKey }[] = []
  for (const entry of keys as readonly unknown[]) {
    if (typeof entry !== 'object' || entry === null) return null
    const { epoch: at, key } = entry as { readonly epoch?: unknown; readonly key?: unknown }
    if (!isEpoch(at) || at > epoch || found.some(one => one.epoch === at) || !isKey(key, 'HKDF', ['deriveKey', 'deriveBits'])) return null
    found.push({ epoch: at, key })
  }
  return isKey(names, 'HMAC', ['sign']) ? { account, app, epoch, keys: found, names } : null
}
