import { route } from './api.ts'
import { boolean, integer, list, nullable, object, oneOf, optional, string } from './shape.ts'

const none = /* @__PURE__ */ object({})
const sealed = (max: number) => /* @__PURE__ */ string({ min: 1, max, pattern: /^[A-Za-z0-9_-]+$/ })
/** What proves a recovery code without telling it: base64url of 32 bytes derived from it. */
export const recoveryProof = /* @__PURE__ */ string({ min: 43, max: 43, pattern: /^[A-Za-z0-9_-]{43}$/ })
const epoch = /* @__PURE__ */ integer({ min: 1 })

/** One way of opening the account's root key. The server keeps the row and can open nothing in it; `mac` is made under the root key. */
export const unlocker = /* @__PURE__ */ object({
  id: sealed(64),
  kind: oneOf('passkey', 'passphrase', 'recovery'),
  /** What the person reads in the list; the passkey's name. */
  name: string({ max: 100 }),
  created: integer(),
  /** The passkey's credential id. */
  credential: nullable(sealed(1400)),
  publicKey: sealed(400),
  wrappedKey: sealed(800),
  /** Of Argon2id, for a passphrase: memory in KiB. */
  stretch: nullable(object({ salt: sealed(64), memory: integer({ min: 1 }), passes: integer({ min: 1 }), lanes: integer({ min: 1 }) })),
  sealedRoot: sealed(800),
  mac: sealed(64),
})

/** The root key of epoch `epoch`, wrapped under that of `epoch + 1`. */
export const chainLink = /* @__PURE__ */ object({ epoch, wrapped: sealed(200) })

/** The account's keys as the server keeps them: all unlockers hold the root key of `epoch`, the chain leads back to the first. */
export const keyState = /* @__PURE__ */ object({ epoch, unlockers: list(unlocker, { max: 64 }), chain: list(chainLink, { max: 10_000 }) })

/** The account's key state, null before enrolment. `ended` is the last epoch of keys that were given up: no epoch comes twice. */
export const readKeys = /* @__PURE__ */ route('keys', 'read', 'account', 'read', none, object({ state: nullable(keyState), ended: optional(epoch) }))
/** The current key epoch, null before enrolment: all that an app's session learns. */
export const readKeyEpoch = /* @__PURE__ */ route('keys', 'epoch', 'session', 'read', none, object({ epoch: nullable(epoch) }))
/**
 * Makes the first key state, with its chain: at epoch 1 and without one, or after a reset at the epoch after those given up (absent: 1).
 * `conflict` when there is one, or for another epoch. `recovery` sets what proves the recovery code, in the same transaction.
 */
export const enrolKeys = /* @__PURE__ */ route(
  'keys',
  'enrol',
  'account',
  'write',
  object({
    unlockers: list(unlocker, { min: 1, max: 64 }),
    recovery: nullable(recoveryProof),
    epoch: optional(epoch),
    chain: optional(list(chainLink, { max: 10_000 })),
  }),
  none,
)
/** Adds an unlocker at this epoch, or replaces the one of the same id; `conflict` when the epoch is not the current one. */
export const addUnlocker = /* @__PURE__ */ route('keys', 'add-unlocker', 'account', 'write', object({ epoch, unlocker }), none)
/**
 * Moves from epoch `from` to the next: the whole list of unlockers is replaced and the chain gets its link, all or nothing.
 * `conflict` when `from` is not the current epoch. `recovery` replaces what proves the recovery code where it changes with it.
 */
export const rotateKeys = /* @__PURE__ */ route(
  'keys',
  'rotate',
  'account',
  'write',
  object({ from: epoch, unlockers: list(unlocker, { min: 1, max: 64 }), link: chainLink, recovery: nullable(recoveryProof) }),
  object({ epoch }),
)
/**
 * Sets what proves the recovery code and, where the account has keys, replaces its unlocker of kind `recovery` in the same
 * transaction; `conflict` when the epoch is not the current one, or when keys exist and no unlocker came.
 */
export const setRecovery = /* @__PURE__ */ route(
  'keys',
  'set-recovery',
  'account',
  'write',
  object({ recovery: recoveryProof, epoch: nullable(epoch), unlocker: nullable(unlocker) }),
  none,
)
/** Gives up keys that nobody can open any more, with every file sealed under them; `name` must repeat the account's name. */
export const resetKeys = /* @__PURE__ */ route(
  'keys',
  'reset',
  'account',
  'write',
  object({ name: string({ max: 100 }) }),
  object({ files: integer(), had: boolean }),
)
