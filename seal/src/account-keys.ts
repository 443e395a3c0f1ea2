import { randomBytes } from './bytes.ts'
import { SealError } from './error.ts'
import { openLink, rootKey, sealLink, type ChainLink, type RootKey } from './root-key.ts'
import type { UnlockSecret } from './unlock-secret.ts'
import { makeUnlocker, openRoot, openUnlocker, sealedTo, verifyMade, verifyRows, type NewUnlocker, type Unlocker } from './unlocker.ts'

/** The account's keys as the server keeps them: all unlockers hold the root key of `epoch`, the chain leads back to the first. */
export interface KeyState {
  readonly epoch: number
  readonly unlockers: readonly Unlocker[]
  readonly chain: readonly ChainLink[]
}

/** An account's keys to keep and to derive from: structured-cloneable, one key per epoch from 1, none of which can be exported. */
export interface HeldKeys {
  readonly account: string
  readonly epoch: number
  readonly roots: readonly { readonly epoch: number; readonly key: CryptoKey }[]
}

/** A step to the next epoch, for the server to take in one piece. */
export interface Rotation {
  readonly from: number
  readonly unlockers: Unlocker[]
  readonly link: ChainLink
  readonly keys: OpenedKeys
}

/** Which unlockers go and come with a rotation; all others stay. */
export interface RotationChange {
  readonly state: KeyState
  /** Ids of unlockers. */
  readonly drop: readonly string[]
  readonly add?: readonly NewUnlocker[]
  readonly now: number
}

/** An account's keys as they are right after they were opened: what may change them. */
export interface OpenedKeys {
  readonly account: string
  readonly epoch: number
  /** The keys to keep. */
  held(): Promise<HeldKeys>
  /** The row of a new unlocker at this epoch. */
  unlocker(unlocker: NewUnlocker & { readonly now: number }): Promise<Unlocker>
  /**
   * Makes the next epoch, whose root key is sealed to every unlocker that stays.
   * @throws {SealError} `stale-epoch` when `state` is not of this epoch; `integrity` when a row of it was not made under these keys;
   * `invalid-unlockers` when none or only a passphrase would be left
   */
  rotate(change: RotationChange): Promise<Rotation>
}

const MAX_EPOCH = 0xffff_ffff
const MAX_FIRST_EPOCH = 10_000

/**
 * Makes an account's first keys, at epoch 1. After keys that were given up `epoch` is one that was never used: the keys of all epochs
 * before it are made anew too, with the chain, so that keys from before are older than these and open nothing of them.
 * @throws {SealError} `invalid-unlockers` when there is none but a passphrase; `invalid-secret`, `invalid-code`, `invalid-epoch` above 10,000
 */
export async function enrolKeys(first: {
  readonly account: string
  readonly unlockers: readonly NewUnlocker[]
  readonly now: number
  readonly epoch?: number
}): Promise<{ epoch: number; unlockers: Unlocker[]; chain: ChainLink[]; keys: OpenedKeys }> {
  const { account, epoch = 1 } = first
  requireWayIn(first.unlockers.map(({ secret }) => secret))
  if (!Number.isInteger(epoch) || epoch < 1 || epoch > MAX_FIRST_EPOCH) throw new SealError('invalid-epoch')
  let root = await rootKey(account, 1, randomBytes(32))
  const roots = [root]
  const chain: ChainLink[] = []
  while (root.epoch < epoch) {
    const next = await rootKey(account, root.epoch + 1, randomBytes(32))
    chain.push(await sealLink(root, next))
    roots.push(next)
    root = next
  }
  const newest = root
  const unlockers = await Promise.all(first.unlockers.map(unlocker => makeUnlocker(newest, unlocker, first.now)))
  return { epoch, unlockers, chain, keys: openedKeys(roots) }
}

/**
 * Opens an account's keys.
 * @throws {SealError} `wrong-secret` when no unlocker opens with it; `stale-epoch` when `state` is older than `seenEpoch`;
 * `integrity` when an unlocker, the root key or the chain is not what holders of the keys made
 */
export async function openKeys(opening: {
  readonly account: string
  readonly state: KeyState
  readonly secret: UnlockSecret
  /** The highest epoch this device has seen. */
  readonly seenEpoch?: number
}): Promise<OpenedKeys> {
  const { account, state, secret, seenEpoch = 0 } = opening
  if (!Number.isInteger(state.epoch) || state.epoch < 1 || state.epoch > MAX_EPOCH) throw new SealError('integrity')
  if (state.epoch < seenEpoch) throw new SealError('stale-epoch')
  const { row, opened } = await findUnlocker(account, state.unlockers, secret)
  const root = await openRoot(account, state.epoch, row, opened)
  const roots = await walkChain(root, state.chain)
  // Anyone can seal a root key of their own to a public key: only one that leads back to the root key there was when the
  // unlocker was made is the account's.
  await verifyMade(roots, opened)
  await verifyRows(root, state.unlockers)
  return openedKeys(roots)
}

async function findUnlocker(account: string, rows: readonly Unlocker[], secret: UnlockSecret) {
  for (const row of rows) {
    if (row.kind !== secret.kind || (secret.kind === 'passkey' && row.credential !== secret.credential)) continue
    const opened = await openUnlocker(account, row, secret)
    if (opened !== undefined) return { row, opened }
  }
  throw new SealError('wrong-secret')
}

// All root keys from epoch 1 to the newest.
async function walkChain(newest: RootKey, chain: readonly ChainLink[]): Promise<RootKey[]> {
  const links = new Map(chain.map(link => [link.epoch, link]))
  if (links.size !== chain.length || links.size !== newest.epoch - 1) throw new SealError('integrity')
  const roots = [newest]
  let oldest = newest
  while (oldest.epoch > 1) {
    oldest = await openLink(oldest, links.get(oldest.epoch - 1))
    roots.push(oldest)
  }
  return roots.toReversed()
}

function openedKeys(roots: readonly RootKey[]): OpenedKeys {
  const root = roots.at(-1)
  if (root === undefined) throw new SealError('integrity')
  const { account, epoch } = root
  return {
    account,
    epoch,
    held: () => Promise.resolve({ account, epoch, roots: roots.map(each => ({ epoch: each.epoch, key: each.key })) }),
    unlocker: ({ secret, name, now }) => makeUnlocker(root, { secret, name }, now),
    rotate: async ({ state, drop, add = [], now }) => {
      if (state.epoch !== epoch) throw new SealError('stale-epoch')
      await verifyRows(root, state.unlockers)
      const stay = state.unlockers.filter(({ id }) => !drop.includes(id))
      requireWayIn([...stay, ...add.map(({ secret }) => secret)])
      const next = await rootKey(account, epoch + 1, randomBytes(32))
      const unlockers = await Promise.all([...stay.map(row => sealedTo(next, row)), ...add.map(unlocker => makeUnlocker(next, unlocker, now))])
      return { from: epoch, unlockers, link: await sealLink(root, next), keys: openedKeys([...roots, next]) }
    },
  }
}

// A passphrase is what a person chose, so it is never all that stands between them and losing everything.
function requireWayIn(ways: readonly { readonly kind: UnlockSecret['kind'] }[]): void {
  if (!ways.some(({ kind }) => kind !== 'passphrase')) throw new SealError('invalid-unlockers')
}
