/** The app that opened the port, as the browser names it: the only identity the broker knows of an app. */
export interface AppIdentity {
  /** `web:<origin>`, what grants, sessions and objects belong to. */
  readonly id: string
  /** The serialized origin, e.g. `https://app.example`. */
  readonly origin: string
  /** Host, with the port where it is not the default one, e.g. `app.example`. Names the app to the person and scopes its rooms. */
  readonly host: string
}

/** Says why a page cannot be an app. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError'
}

/**
 * Makes the identity from an origin the browser set (`MessageEvent.origin`), never from what a message says.
 * @throws {IdentityError} for an opaque origin (a sandboxed frame, a `data:` or `file:` page) and for anything but http and https.
 */
export function identify(origin: string): AppIdentity {
  if (!URL.canParse(origin)) throw new IdentityError('deputy: a page without an origin of its own (sandboxed, data: or file:) cannot use the broker')
  const url = new URL(origin)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new IdentityError('deputy: only pages served over http or https can use the broker')
  if (url.origin !== origin) throw new IdentityError('deputy: not an origin')
  return { id: `web:${origin}`, origin, host: url.host }
}
