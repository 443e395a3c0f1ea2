import type { AppIdentity } from '../app-identity.ts'
import { fromBase64url, toBase64url } from '../base64url.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Store } from '../store/store.ts'

/** What a pin says of the account acting now. */
export type PinCheck =
  /** The pin was taken under the account (its id) that acts now. */
  | { readonly kind: 'same'; readonly account: string }
  /** The pin was taken while nobody was signed in, and nobody is. */
  | { readonly kind: 'nobody' }
  /** Another account, another app, or no pin of ours. */
  | { readonly kind: 'changed' }

/** Pins of one app: texts that name the account they were taken under to the broker alone. */
export interface Pins {
  /** A pin for the account acting now; every call answers another text. */
  take(): Promise<string>
  check(pin: string): Promise<PinCheck>
}

const name = 'pin-key'
const nonceBytes = 12
const encoder = new TextEncoder()

/** One key for the partition, made by whoever needs it first. */
async function keyOf(store: Store): Promise<CryptoKey> {
  const kept = await store.get(name)
  if (kept instanceof CryptoKey) return kept
  const fresh = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
  return (await store.update(name, value => value ?? fresh)) as CryptoKey
}

/** Pins sealed under a key of the partition's store, bound to the app. */
export function pinsOf({ app, sessions, store }: { readonly app: AppIdentity; readonly sessions: Sessions; readonly store: Store }): Pins {
  let key: Promise<CryptoKey> | undefined
  const sealing = (): Promise<CryptoKey> => (key ??= keyOf(store))
  const rules = (nonce: Uint8Array<ArrayBuffer>): AesGcmParams => ({ name: 'AES-GCM', iv: nonce, additionalData: encoder.encode(`deputy/pin/v1\0${app.id}`) })

  /** The account id a pin names (empty while nobody was signed in), or null for a text that is no pin of this app. */
  const read = async (pin: string): Promise<string | null> => {
    const bytes = fromBase64url(pin)
    if (bytes === null || bytes.length <= nonceBytes) return null
    try {
      const opened = await crypto.subtle.decrypt(rules(bytes.slice(0, nonceBytes)), await sealing(), bytes.slice(nonceBytes))
      return new TextDecoder().decode(opened)
    } catch {
      return null
    }
  }

  return {
    take: async () => {
      const account = (await sessions.current())?.account.id ?? ''
      const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes))
      const sealed = await crypto.subtle.encrypt(rules(nonce), await sealing(), encoder.encode(account))
      return toBase64url(new Uint8Array([...nonce, ...new Uint8Array(sealed)]))
    },
    check: async pin => {
      const [account, held] = await Promise.all([read(pin), sessions.current()])
      const acting = held?.account.id ?? ''
      if (account !== acting) return { kind: 'changed' }
      return acting === '' ? { kind: 'nobody' } : { kind: 'same', account: acting }
    },
  }
}
