import { concat, field, u32, utf8Bytes, type Bytes } from './bytes.ts'
import { openBox, sealBox } from './box.ts'
import { derivable, deriveBytes, deriveMac, deriveSealing } from './derive.ts'
import { SealError } from './error.ts'

/** What every derivation of the account's keys begins with. */
export const KEYS_LABEL = 'deputy/keys/v1'

/** The root key of one epoch: its bytes for sealing it to unlockers, and a key to derive from. */
export interface RootKey {
  readonly account: string
  readonly epoch: number
  readonly bytes: Bytes
  readonly key: CryptoKey
}

/** The root key of epoch `epoch`, wrapped under that of `epoch + 1`. */
export interface ChainLink {
  readonly epoch: number
  readonly wrapped: string
}

/** The root key these 32 bytes are. @throws {SealError} `integrity` for any other length */
export async function rootKey(account: string, epoch: number, bytes: Bytes): Promise<RootKey> {
  if (bytes.length !== 32) throw new SealError('integrity')
  return { account, epoch, bytes, key: await derivable(bytes) }
}

/** 32 bytes that tell one root key from every other and from which it cannot be found. */
export function rootCheck({ account, epoch, key }: RootKey): Promise<Bytes> {
  return deriveBytes(key, account, concat(utf8Bytes(`${KEYS_LABEL}/check`), u32(epoch)))
}

/** The key unlocker rows of this epoch are authenticated with. */
export function rowMacKey({ account, epoch, key }: RootKey): Promise<CryptoKey> {
  return deriveMac(key, account, concat(utf8Bytes(`${KEYS_LABEL}/row`), u32(epoch)))
}

/** Wraps a root key under the one that follows it. */
export async function sealLink(older: RootKey, newer: RootKey): Promise<ChainLink> {
  return { epoch: older.epoch, wrapped: await sealBox(await linkKey(newer), linkBinding(older.account, older.epoch), older.bytes) }
}

/** The root key before `newer`. @throws {SealError} `integrity` */
export async function openLink(newer: RootKey, link: ChainLink | undefined): Promise<RootKey> {
  if (link?.epoch !== newer.epoch - 1) throw new SealError('integrity')
  return rootKey(newer.account, link.epoch, await openBox(await linkKey(newer), linkBinding(newer.account, link.epoch), link.wrapped))
}

const linkKey = ({ account, epoch, key }: RootKey): Promise<CryptoKey> => deriveSealing(key, account, concat(utf8Bytes(`${KEYS_LABEL}/chain`), u32(epoch)))

const linkBinding = (account: string, epoch: number): Bytes => concat(utf8Bytes(`${KEYS_LABEL}/chain`), field(account), u32(epoch))
