import type { RouteAnswer } from '@deputy/contract/api'
import { addUnlocker, enrolKeys as enrolRoute, readKeys, resetKeys, rotateKeys, setRecovery } from '@deputy/contract/api-keys'
import { appKeysOf, enrolKeys, openKeys, recoveryProof, SealError, type AppKeys, type HeldKeys, type OpenedKeys, type UnlockSecret } from '@deputy/seal'
import type { Outcome } from '../api/api.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Problem } from '../sign-in/state.ts'
import type { Tried } from '../sign-in/tried.ts'
import type { KeyShelf } from './key-shelf.ts'

/** The account's keys as the service keeps them. */
export type KeyState = NonNullable<RouteAnswer<typeof readKeys>['state']>
/** A way to open the keys, and what the person reads of it. */
export interface NewWay {
  readonly secret: UnlockSecret
  readonly name: string
}

/** What a rotation changes beside the epoch. */
export interface RotationChange {
  /** Ids of unlockers that go. */
  readonly drop?: readonly string[]
  readonly add?: readonly NewWay[]
}

/**
 * The keys of the account signed in to this browser. Opened keys, which may change things, exist only in memory right after the
 * person opened them; those held between visits can only derive.
 */
export interface AccountKeys {
  /** The keys this browser holds, without asking anybody; null when locked. */
  current(): Promise<HeldKeys | null>
  /** The state the service keeps, null before enrolment. */
  read(): Promise<Tried<KeyState | null>>
  /** Opens them with a secret, and holds them from now on. */
  open(secret: UnlockSecret): Promise<Tried<OpenedKeys>>
  /** Makes the first keys, opened by these ways and by the recovery code, which from now on signs in as well. */
  enrol(code: string, ways: readonly NewWay[]): Promise<Tried<OpenedKeys>>
  /** Makes this the recovery code; where the account has keys they must be open. */
  setCode(code: string, opened: OpenedKeys | null): Promise<Tried<null>>
  /** Adds a way of opening. */
  add(opened: OpenedKeys, way: NewWay): Promise<Tried<null>>
  /** Makes the next epoch. */
  rotate(opened: OpenedKeys, change?: RotationChange): Promise<Tried<OpenedKeys>>
  /** Gives the keys up with every file under them; the value is how many files went. */
  reset(name: string): Promise<Tried<number>>
  /** The keys of one app, or null when none are held. */
  appKeys(app: string): Promise<AppKeys | null>
  /** Whether the account is still owed a recovery code, as far as this browser knows. */
  codeDue(): Promise<boolean>
  setCodeDue(due: boolean): Promise<void>
  /** Whether this browser has seen keys of the account, so that the service cannot say there are none unnoticed. */
  seen(): Promise<boolean>
  /** The person says that they began anew elsewhere: what was seen of the old keys counts no more. */
  beganAnew(): Promise<void>
  /** Forgets keys of any account but the one signed in: all of them when nobody is. */
  dropOthers(): Promise<void>
}

const ok = <T>(value: T): Tried<T> => ({ value, problem: null })
const problem = (of: Problem): { value: null; problem: Problem } => ({ value: null, problem: of })
const patience = { deadline: 20_000 }

const wrong = { passkey: 'wrong-passkey', passphrase: 'wrong-passphrase', recovery: 'wrong-code' } as const satisfies Record<UnlockSecret['kind'], Problem>

/** What a call about keys means to the person. */
export function keysTried<T>(outcome: Outcome<T>): Tried<T> {
  if (outcome.kind === 'answer') return ok(outcome.value)
  if (outcome.kind === 'unauthorized') return problem('expired')
  if (outcome.kind === 'unreachable') return problem('unreachable')
  if (outcome.error === 'conflict') return problem('keys-changed')
  return problem(outcome.error === 'rate-limited' || outcome.error === 'too-many' ? 'too-often' : 'refused')
}

/** What opening or making keys threw, as a problem. @throws what is no refusal of the sealing. */
function sealProblem(error: unknown, kind?: UnlockSecret['kind']): { value: null; problem: Problem } {
  if (!(error instanceof SealError)) throw error
  if (error.code === 'wrong-secret') return problem(kind === undefined ? 'refused' : wrong[kind])
  if (error.code === 'invalid-code') return problem('mistyped-code')
  if (error.code === 'stale-epoch') return problem('keys-old')
  return problem(error.code === 'integrity' ? 'keys-forged' : 'refused')
}

/** The keys of the session's account. */
export function accountKeys({
  sessions,
  shelf,
  now = Date.now,
}: {
  readonly sessions: Sessions
  readonly shelf: KeyShelf
  readonly now?: () => number
}): AccountKeys {
  const account = async (): Promise<string> => (await sessions.current())?.account.id ?? ''

  const read: AccountKeys['read'] = async () => {
    const { value, problem: why } = keysTried(await sessions.call(readKeys, {}, patience))
    return why === null ? ok(value.state) : problem(why)
  }
  const hold = async (opened: OpenedKeys): Promise<Tried<OpenedKeys>> => {
    await shelf.keep(await opened.held())
    return ok(opened)
  }
  const current: AccountKeys['current'] = async () => shelf.held(await account())

  return {
    current,
    read,
    open: async secret => {
      const state = await read()
      if (state.problem !== null) return state
      if (state.value === null) return problem('keys-changed')
      const id = await account()
      try {
        return await hold(await openKeys({ account: id, state: state.value, secret, seenEpoch: await shelf.seen(id) }))
      } catch (error) {
        return sealProblem(error, secret.kind)
      }
    },
    enrol: async (code, ways) => {
      if ((await shelf.seen(await account())) > 0) return problem('keys-old')
      const recovery = { secret: { kind: 'recovery', code }, name: '' } as const
      const before = keysTried(await sessions.call(readKeys, {}, patience))
      if (before.problem !== null) return before
      try {
        const made = await enrolKeys({ account: await account(), unlockers: [...ways, recovery], now: now(), epoch: (before.value.ended ?? 0) + 1 })
        const { epoch, unlockers, chain } = made
        const taken = keysTried(await sessions.call(enrolRoute, { epoch, unlockers, chain, recovery: await recoveryProof(code) }, patience))
        return taken.problem === null ? await hold(made.keys) : taken
      } catch (error) {
        return sealProblem(error)
      }
    },
    setCode: async (code, opened) => {
      const unlocker = opened === null ? null : await opened.unlocker({ secret: { kind: 'recovery', code }, name: '', now: now() })
      const set = keysTried(await sessions.call(setRecovery, { recovery: await recoveryProof(code), epoch: opened?.epoch ?? null, unlocker }, patience))
      return set.problem === null ? ok(null) : set
    },
    add: async (opened, way) => {
      const unlocker = await opened.unlocker({ ...way, now: now() })
      const added = keysTried(await sessions.call(addUnlocker, { epoch: opened.epoch, unlocker }, patience))
      return added.problem === null ? ok(null) : added
    },
    rotate: async (opened, { drop = [], add = [] } = {}) => {
      const state = await read()
      if (state.problem !== null) return state
      if (state.value === null) return problem('keys-changed')
      try {
        const { from, unlockers, link, keys } = await opened.rotate({ state: state.value, drop, add, now: now() })
        const rotated = keysTried(await sessions.call(rotateKeys, { from, unlockers, link, recovery: null }, patience))
        return rotated.problem === null ? await hold(keys) : rotated
      } catch (error) {
        return error instanceof SealError && error.code === 'stale-epoch' ? problem('keys-changed') : sealProblem(error)
      }
    },
    reset: async name => {
      const gone = keysTried(await sessions.call(resetKeys, { name }, { deadline: 60_000 }))
      if (gone.problem !== null) return gone
      await shelf.forget(await account())
      return ok(gone.value.files)
    },
    appKeys: async app => {
      const held = await current()
      return held === null ? null : appKeysOf(held, app)
    },
    codeDue: async () => shelf.codeDue(await account()),
    setCodeDue: async due => shelf.setCodeDue(await account(), due),
    seen: async () => (await shelf.seen(await account())) > 0,
    beganAnew: async () => shelf.forget(await account()),
    dropOthers: async () => {
      if ((await current()) === null) await shelf.drop()
    },
  }
}
