import { listPasskeys } from '@deputy/contract/api-accounts'
import { mintRecoveryCode, type OpenedKeys, type UnlockSecret } from '@deputy/seal'
import type { Sessions } from '../sessions/sessions.ts'
import type { Problem, Profile, SignInActions, SignInStep } from '../sign-in/state.ts'
import { tried, type Tried } from '../sign-in/tried.ts'
import type { SignedIn } from '../sign-in/ways.ts'
import type { AccountKeys, KeyState, NewWay } from './account-keys.ts'
import { makePasskey } from './make-passkey.ts'
import { askPasskey, type PasskeyKeys } from './passkey.ts'

/** What a person may have to do about their keys on the way through the sign-in window, and what it leads on to. */
export interface KeyWalk {
  /**
   * Goes on once the keys are as they should be: a recovery code set, and open where `wanted`. `arrived` is what the person has
   * just signed in with, null where the session was there before.
   */
  settle(account: Profile, arrived: SignedIn | null, wanted: boolean, next: () => Promise<void>): Promise<void>
  readonly actions: Pick<SignInActions, KeyAction>
}
type KeyAction =
  | 'recoverySaved'
  | 'skipKeys'
  | 'unlockWithPasskey'
  | 'unlockWithPassphrase'
  | 'unlockWithCode'
  | 'later'
  | 'enrolWithPasskey'
  | 'enrolWithPassphrase'
  | 'showLost'
  | 'giveUpKeys'
  | 'addPasskey'
  | 'beganAnew'
  | 'back'

/** What the walk stands on. */
export interface KeyWalkNeeds {
  readonly keys: AccountKeys
  readonly sessions: Sessions
  readonly show: (step: SignInStep) => void
  /** The step shown now, or null while it is busy. */
  readonly standing: () => SignInStep | null
  readonly passkeys?: { readonly ask: typeof askPasskey; readonly make: typeof makePasskey }
}

const calm = { busy: false, problem: null } as const
const browserPasskeys = { ask: askPasskey, make: makePasskey }

/** The steps about keys. Opened keys live here, in memory, until the window is done. */
export function keyWalk({ keys, sessions, show, standing, passkeys = browserPasskeys }: KeyWalkNeeds): KeyWalk {
  let account: Profile
  let next = async (): Promise<void> => {}
  let wanted = false
  let state: KeyState | null = null
  let opened: OpenedKeys | null = null
  let passkey: PasskeyKeys | null = null
  let recovered = false
  /** What the keys being made are to open with, beside the code. */
  let ways: readonly NewWay[] = []

  const credentials = (): string[] => (state?.unlockers ?? []).flatMap(({ credential }) => credential ?? [])
  const askToUnlock = (why: 'app' | 'code', problem: Problem | null = null): void =>
    show({
      step: 'unlock',
      why,
      ways: { passkey: credentials().length > 0, passphrase: state?.unlockers.some(({ kind }) => kind === 'passphrase') === true },
      busy: false,
      problem,
    })
  const offerCode = async (): Promise<void> => {
    const again = state === null && ways.length === 0 && passkey?.able === true && passkey.secret === null
    show({ step: 'show-recovery', code: mintRecoveryCode(), again, replaces: !(await keys.codeDue()), ...calm })
  }

  /** The passkey of this sign-in opens the keys as well from now on, where it can and did not before. */
  const takePasskeyIn = async (): Promise<void> => {
    if (opened === null || passkey?.secret == null || credentials().includes(passkey.credential)) return
    await keys.add(opened, { secret: passkey.secret, name: '' })
  }

  const go = async (problem: 'keys-forged' | 'keys-old' | null = null): Promise<void> => {
    const due = await keys.codeDue()
    // Keys this browser has seen do not go by themselves: who may say so is the person.
    if (state === null && (due || wanted) && (await keys.seen())) return askToUnlock(wanted ? 'app' : 'code', 'keys-old')
    if (due) {
      if (state !== null && opened === null) return askToUnlock('code', problem)
      // What opens the keys is chosen first, so that there is one code to keep and not two.
      return wanted && state === null && passkey?.able !== true && ways.length === 0 ? offerKeys() : offerCode()
    }
    if (wanted) {
      const held = await keys.current()
      if (state === null) return offerKeys()
      if (held?.epoch !== state.epoch) return askToUnlock('app', problem)
    }
    await next()
  }

  const offerKeys = async (): Promise<void> => {
    if (passkey?.secret != null) {
      ways = [{ secret: passkey.secret, name: '' }]
      return offerCode()
    }
    const { value } = tried(await sessions.call(listPasskeys, {}))
    show({ step: 'enrol', passkey: (value?.passkeys.length ?? 0) > 0, ...calm })
  }

  const readState = async (): Promise<boolean> => {
    const { value, problem } = await keys.read()
    if (problem !== null) return false
    state = value
    return true
  }

  const attempt = async <S extends 'show-recovery' | 'unlock' | 'enrol' | 'lost' | 'add-passkey', T>(
    step: S,
    run: (step: Extract<SignInStep, { step: S }>) => Promise<Tried<T>>,
    then: (value: T) => Promise<void>,
  ): Promise<void> => {
    const before = standing()
    if (before?.step !== step) return
    const shown = before as Extract<SignInStep, { step: S }>
    show({ ...shown, busy: true, problem: null })
    const { value, problem } = await run(shown)
    if (problem !== null) show({ ...shown, busy: false, problem })
    else await then(value)
  }

  const unlocked = async (keysNow: OpenedKeys, secret: UnlockSecret): Promise<void> => {
    opened = keysNow
    await takePasskeyIn()
    if (secret.kind === 'recovery' && !(await keys.codeDue())) return show({ step: 'add-passkey', ...calm })
    await go()
  }
  const unlock = (secret: () => Promise<Tried<UnlockSecret>>): Promise<void> =>
    attempt(
      'unlock',
      async () => {
        const asked = await secret()
        if (asked.problem !== null) return asked
        const result = await keys.open(asked.value)
        return result.problem === null ? { value: { keys: result.value, secret: asked.value }, problem: null } : result
      },
      ({ keys: value, secret }) => unlocked(value, secret),
    )
  const given = (secret: UnlockSecret): Promise<Tried<UnlockSecret>> => Promise.resolve({ value: secret, problem: null })

  /** Sets the code shown, and with it makes the keys where there are none and something else opens them. */
  const setCode = async (code: string, chosen: readonly NewWay[]): Promise<Tried<OpenedKeys | null>> => {
    if (state === null && chosen.length > 0) return keys.enrol(code, chosen)
    const set = await keys.setCode(code, opened)
    return set.problem === null ? { value: opened, problem: null } : set
  }
  const codeSet = async (keysNow: OpenedKeys | null): Promise<void> => {
    opened = keysNow
    ways = []
    await keys.setCodeDue(false)
    if (opened !== null && !(await readState())) return show({ step: 'unreachable' })
    if (recovered) {
      recovered = false
      return show({ step: 'add-passkey', ...calm })
    }
    await go()
  }

  return {
    settle: async (who, arrived, isWanted, onward) => {
      account = who
      next = onward
      wanted = isWanted
      opened = null
      ways = []
      passkey = arrived?.passkey ?? null
      recovered = arrived?.secret?.kind === 'recovery'
      if (arrived !== null) await keys.setCodeDue(!arrived.recovery)
      const due = await keys.codeDue()
      if (arrived?.secret == null && !due && !wanted) return next()
      if (!(await readState())) return due || wanted ? show({ step: 'unreachable' }) : next()
      let problem: 'keys-forged' | 'keys-old' | null = null
      if (state !== null && arrived?.secret != null) {
        const result = await keys.open(arrived.secret)
        if (result.problem === null) opened = result.value
        else if (result.problem === 'keys-forged' || result.problem === 'keys-old') problem = result.problem
      }
      await go(problem)
    },
    actions: {
      recoverySaved: () =>
        attempt(
          'show-recovery',
          async ({ code, again }) => {
            if (!again || passkey === null) return setCode(code, passkey?.secret != null && ways.length === 0 ? [{ secret: passkey.secret, name: '' }] : ways)
            const secret = await passkeys.ask([passkey.credential])
            if (secret.problem !== null) return secret
            passkey = { ...passkey, secret: secret.value }
            return setCode(code, [{ secret: secret.value, name: '' }])
          },
          codeSet,
        ),
      skipKeys: () => attempt('show-recovery', ({ code }) => setCode(code, []), codeSet),
      unlockWithPasskey: () => unlock(() => passkeys.ask(credentials())),
      unlockWithPassphrase: text => unlock(() => given({ kind: 'passphrase', text })),
      unlockWithCode: typed => unlock(() => given({ kind: 'recovery', code: typed })),
      later: async () => {
        const { step, ...rest } = standing() ?? { step: null }
        if (step === 'add-passkey') await go()
        else if (step === 'unlock' && 'why' in rest && rest.why === 'code') await next()
      },
      enrolWithPasskey: () =>
        attempt(
          'enrol',
          async () => {
            const list = tried(await sessions.call(listPasskeys, {}))
            return list.problem === null ? passkeys.ask(list.value.passkeys.map(({ id }) => id)) : list
          },
          async secret => {
            ways = [{ secret, name: '' }]
            await offerCode()
          },
        ),
      enrolWithPassphrase: text =>
        attempt(
          'enrol',
          () => given({ kind: 'passphrase', text }),
          async secret => {
            ways = [{ secret, name: '' }]
            await offerCode()
          },
        ),
      showLost: () => {
        if (standing()?.step === 'unlock') show({ step: 'lost', name: account.name, ...calm })
      },
      back: () => {
        if (standing()?.step === 'lost') askToUnlock(wanted ? 'app' : 'code')
      },
      beganAnew: async () => {
        const before = standing()
        if (before?.step !== 'unlock' || before.problem !== 'keys-old') return
        await keys.beganAnew()
        await go()
      },
      giveUpKeys: name =>
        attempt(
          'lost',
          () => keys.reset(name),
          async () => {
            state = null
            await go()
          },
        ),
      addPasskey: () =>
        attempt(
          'add-passkey',
          async () => {
            const made = await passkeys.make(sessions.call)
            if (made.problem !== null || opened === null || !made.value.able) return made
            const secret = made.value.secret === null ? await passkeys.ask([made.value.credential]) : { value: made.value.secret, problem: null }
            if (secret.problem !== null) return { value: made.value, problem: null }
            const added = await keys.add(opened, { secret: secret.value, name: '' })
            return added.problem === null ? made : added
          },
          () => go(),
        ),
    },
  }
}
