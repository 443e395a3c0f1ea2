import { deviceName, profile, route, session, webauthn } from './api.ts'
import { recoveryProof } from './api-keys.ts'
import { boolean, integer, list, nullable, object, opaque, optional, string } from './shape.ts'

const none = /* @__PURE__ */ object({})
const ceremony = /* @__PURE__ */ string({ min: 1, max: 100 })
const personName = /* @__PURE__ */ string({ min: 1, max: 100 })
const email = /* @__PURE__ */ string({ min: 3, max: 254, pattern: /^[^\s@]+@[^\s@]+$/ })
const begun = /* @__PURE__ */ object({ ceremony, options: webauthn })
const finish = /* @__PURE__ */ object({ ceremony, response: webauthn, device: deviceName })
/** `recovery`: whether a recovery code is set; where none is, the window makes one, shows it once and sets what proves it. */
const signedIn = /* @__PURE__ */ object({ session, recovery: boolean })

/** Begins an account with a passkey: WebAuthn creation options for a discoverable credential. */
export const beginSignUp = /* @__PURE__ */ route('accounts', 'begin-sign-up', 'anyone', 'sign-in', object({ name: personName }), begun)
/** Makes the account from the authenticator's response. */
export const finishSignUp = /* @__PURE__ */ route('accounts', 'finish-sign-up', 'anyone', 'sign-in', finish, signedIn)
/** Begins a sign-in with any passkey the person holds. */
export const beginSignIn = /* @__PURE__ */ route('accounts', 'begin-sign-in', 'anyone', 'sign-in', none, begun)
/** Signs in with the authenticator's response. */
export const finishSignIn = /* @__PURE__ */ route('accounts', 'finish-sign-in', 'anyone', 'sign-in', finish, signedIn)
/** Sends an 8-digit code to the address; the answer is the same whether or not the address is known. */
export const beginEmail = /* @__PURE__ */ route('accounts', 'begin-email', 'anyone', 'sign-in', object({ email }), object({ ceremony }))
/** Signs in with the code, making the account when the address has none: 5 tries within 10 minutes. */
export const finishEmail = /* @__PURE__ */ route(
  'accounts',
  'finish-email',
  'anyone',
  'sign-in',
  object({ ceremony, code: string({ max: 20 }), name: optional(personName), device: deviceName }),
  signedIn,
)
/** Signs in with what proves the recovery code, which is used up by it. */
export const recover = /* @__PURE__ */ route('accounts', 'recover', 'anyone', 'sign-in', object({ proof: recoveryProof, device: deviceName }), signedIn)
/** Begins a sign-in with an outside OIDC provider: where to send the window. */
export const beginOidc = /* @__PURE__ */ route(
  'accounts',
  'begin-oidc',
  'anyone',
  'sign-in',
  object({ provider: string({ max: 64 }) }),
  object({ ceremony, url: string({ max: 4000 }) }),
)
/** Finishes it with the whole url the provider sent the window back to. */
export const finishOidc = /* @__PURE__ */ route(
  'accounts',
  'finish-oidc',
  'anyone',
  'sign-in',
  object({ ceremony, url: string({ max: 8000 }), device: deviceName }),
  signedIn,
)

/** The account of the session. */
export const readProfile = /* @__PURE__ */ route('accounts', 'profile', 'session', 'read', none, profile)
/** Changes name or picture (a data url of at most 128 KiB; null removes it). */
export const updateProfile = /* @__PURE__ */ route(
  'accounts',
  'update-profile',
  'account',
  'write',
  object({ name: optional(personName), image: optional(nullable(string({ max: 180_000, pattern: /^data:image\/(png|jpeg|webp);base64,[A-Za-z0-9+/=]+$/ }))) }),
  profile,
)
/** The account's passkeys. */
export const listPasskeys = /* @__PURE__ */ route(
  'accounts',
  'list-passkeys',
  'account',
  'read',
  none,
  object({ passkeys: list(object({ id: string({ max: 1400 }), name: string({ max: 100 }), created: integer(), lastUsed: nullable(integer()) })) }),
)
/** Begins one more passkey for the account. */
export const beginPasskey = /* @__PURE__ */ route('accounts', 'begin-passkey', 'account', 'write', none, begun)
/** Adds it. */
export const finishPasskey = /* @__PURE__ */ route(
  'accounts',
  'finish-passkey',
  'account',
  'write',
  object({ ceremony, response: webauthn, name: string({ min: 1, max: 100 }) }),
  none,
)
/** Removes a passkey; refused `conflict` when nothing else could sign the person in. */
export const removePasskey = /* @__PURE__ */ route('accounts', 'remove-passkey', 'account', 'write', object({ id: string({ max: 1400 }) }), none)
/** Everything the server holds of the account, as JSON. */
export const exportAccount = /* @__PURE__ */ route('accounts', 'export', 'account', 'read', none, opaque)
/** Deletes the account and all it stored; `name` must repeat the account's name. */
export const deleteAccount = /* @__PURE__ */ route('accounts', 'delete', 'account', 'write', object({ name: personName }), none)
