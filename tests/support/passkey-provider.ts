import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { Authenticator } from './authenticator.ts'

/** What a page's ceremony asks, in the JSON form of the WebAuthn standard. */
interface Asked {
  readonly options: unknown
  /** The salt of the PRF extension, base64url; null where it is not asked for. */
  readonly salt: string | null
}

/**
 * A provider that keeps a person's passkeys for all their devices, and the secrets of their PRF with them: the browser's own
 * virtual authenticator copies a credential without that secret.
 */
export class PasskeyProvider {
  readonly #authenticator: Authenticator
  readonly #secrets = new Map<string, Buffer>()
  /** @param origin of the pages that ask */
  constructor(origin: string) {
    this.#authenticator = new Authenticator(origin)
  }

  /** Makes this provider the page's authenticator. One that does not sync PRF secrets tells none (`prf` false). */
  async serve(page: Page, { prf = true } = {}): Promise<void> {
    await page.exposeFunction('askProvider', (kind: 'create' | 'get', { options, salt }: Asked) => {
      const response = this.#authenticator[kind](options) as { readonly id: string }
      if (kind === 'create') this.#secrets.set(response.id, randomBytes(32))
      const secret = this.#secrets.get(response.id)
      return { response, first: !prf || salt === null || secret === undefined ? null : prfOf(secret, salt) }
    })
    await page.addInitScript(useProvider)
  }
}

// As the WebAuthn standard derives it from the CTAP extension hmac-secret.
function prfOf(secret: Buffer, salt: string): string {
  const hashed = createHash('sha256').update('WebAuthn PRF\0').update(Buffer.from(salt, 'base64url')).digest()
  return createHmac('sha256', secret).update(hashed).digest('base64url')
}

declare global {
  /** The provider of the page, see `PasskeyProvider`. */
  var askProvider: (kind: 'create' | 'get', asked: Asked) => Promise<{ response: Answered; first: string | null }>
}

interface Answered {
  readonly id: string
  readonly clientExtensionResults: object
  readonly response: Readonly<Record<string, unknown>>
}

/** Runs in the page: passkeys are made and asked for by the provider. */
function useProvider(): void {
  const textOf = (bytes: BufferSource): string => {
    const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    return btoa(String.fromCharCode(...view))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '')
  }
  const bytesOf = (text: unknown): ArrayBuffer =>
    Uint8Array.from(atob(String(text).replaceAll('-', '+').replaceAll('_', '/')), letter => letter.charCodeAt(0)).buffer
  const ask = async (
    kind: 'create' | 'get',
    publicKey: PublicKeyCredentialCreationOptions | PublicKeyCredentialRequestOptions | undefined,
  ): Promise<Credential> => {
    if (publicKey === undefined) throw new TypeError('only passkeys are asked for')
    const asked = {
      ...publicKey,
      challenge: textOf(publicKey.challenge),
      ...('user' in publicKey ? { user: { ...publicKey.user, id: textOf(publicKey.user.id) } } : {}),
    }
    const salt = publicKey.extensions?.prf?.eval?.first
    const { response: told, first } = await askProvider(kind, {
      options: { ...asked, extensions: undefined, allowCredentials: undefined, excludeCredentials: undefined },
      salt: salt === undefined ? null : textOf(salt),
    })
    const { transports, ...fields } = told.response
    const response = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, bytesOf(value)]))
    const prf = { ...(kind === 'create' ? { enabled: true } : {}), ...(first === null ? {} : { results: { first: bytesOf(first) } }) }
    return {
      id: told.id,
      rawId: bytesOf(told.id),
      type: 'public-key',
      authenticatorAttachment: 'platform',
      getClientExtensionResults: () => ({ ...told.clientExtensionResults, prf }),
      response: { ...response, getTransports: () => transports ?? [] },
    } as Credential
  }
  Object.defineProperties(navigator.credentials, {
    create: { value: (options?: CredentialCreationOptions) => ask('create', options?.publicKey) },
    get: { value: (options?: CredentialRequestOptions) => ask('get', options?.publicKey) },
  })
}
