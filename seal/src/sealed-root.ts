import { decode, encode } from './base64url.ts'
import { openBox, sealBox } from './box.ts'
import { concat, field, u32, utf8Bytes, type Bytes } from './bytes.ts'
import { derivable, deriveSealing } from './derive.ts'
import { SealError } from './error.ts'
import { KEYS_LABEL, rootKey, type RootKey } from './root-key.ts'

const POINT = 65
const P256 = { name: 'ECDH', namedCurve: 'P-256' } as const

/** The root key sealed to an unlocker's public key: the point of a key pair made for this alone, then the sealed bytes. */
export async function sealRoot(root: RootKey, unlocker: string, publicKey: Bytes): Promise<string> {
  const pair = await crypto.subtle.generateKey(P256, false, ['deriveBits'])
  const point = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
  const key = await agreedKey(root.account, pair.privateKey, await imported(publicKey), point, publicKey)
  const sealed = decode(await sealBox(key, binding(root.account, root.epoch, unlocker), root.bytes))
  if (sealed === undefined) throw new SealError('integrity')
  return encode(concat(point, sealed))
}

/** What opens a sealed root key: the unlocker's id and key pair. */
export interface RootToOpen {
  readonly id: string
  readonly publicKey: Bytes
  readonly privateKey: CryptoKey
  readonly sealed: string
}

/** Opens what `sealRoot` made for this account, epoch and unlocker. @throws {SealError} `integrity` */
export async function openSealedRoot(account: string, epoch: number, { id, publicKey, privateKey, sealed }: RootToOpen): Promise<RootKey> {
  const bytes = decode(sealed)
  if (bytes === undefined || bytes.length < POINT) throw new SealError('integrity')
  const point = bytes.slice(0, POINT)
  const key = await agreedKey(account, privateKey, await imported(point), point, publicKey)
  return rootKey(account, epoch, await openBox(key, binding(account, epoch, id), encode(bytes.subarray(POINT))))
}

async function imported(point: Bytes): Promise<CryptoKey> {
  try {
    return await crypto.subtle.importKey('raw', point, P256, false, [])
  } catch {
    // Not a point of the curve.
    throw new SealError('integrity')
  }
}

async function agreedKey(account: string, own: CryptoKey, other: CryptoKey, ephemeral: Bytes, receiver: Bytes): Promise<CryptoKey> {
  const shared = new Uint8Array(await crypto.subtle.deriveBits({ name: 'ECDH', public: other }, own, 256))
  const material = await derivable(shared)
  shared.fill(0)
  return deriveSealing(material, account, concat(utf8Bytes(`${KEYS_LABEL}/root`), ephemeral, receiver))
}

function binding(account: string, epoch: number, unlocker: string): Bytes {
  return concat(utf8Bytes(`${KEYS_LABEL}/root`), field(account), u32(epoch), field(unlocker))
}
