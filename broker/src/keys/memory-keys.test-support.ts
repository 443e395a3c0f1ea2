import { pathOf, type Route } from '@deputy/contract/api'
import * as routes from '@deputy/contract/api-keys'
import { enrolKeys, mintRecoveryCode, openKeys, type KeyState, type Unlocker, type UnlockSecret } from '@deputy/seal'
import type { Sessions } from '../sessions/sessions.ts'
import { memoryStore } from '../store/memory.ts'
import { accountKeys, type AccountKeys } from './account-keys.ts'
import { keyShelf } from './key-shelf.ts'
import type { PasskeySecret } from './passkey.ts'
import type { KeyWalkNeeds } from './walk.ts'

/** The keys of account `a` over a service kept in memory, and what was done to them by way of the window. */
export interface MemoryKeys {
  readonly keys: AccountKeys
  readonly passkeys: NonNullable<KeyWalkNeeds['passkeys']>
  /** What was done through `keys`, codes included. */
  readonly did: string[]
  /** Makes keys elsewhere, held here, and answers their code. */
  make(secret?: UnlockSecret): Promise<string>
  rotateElsewhere(): Promise<void>
  lock(): Promise<void>
  /** The next question for a passkey ends so. */
  refuse(problem: 'cancelled'): void
  /** What the service keeps, to be tampered with. */
  state: KeyState | null
}

/** What a passkey of this name tells. */
export const prfOf = (credential: string): PasskeySecret => ({ kind: 'passkey', credential, prf: new Uint8Array(32).fill(credential.length) })

const account = 'a'

/** Keys over a service in memory, with the real sealing. */
export function memoryKeys(): MemoryKeys {
  const store = memoryStore()
  const did: string[] = []
  let state: KeyState | null = null
  let ended = 0
  let refusal: 'cancelled' | null = null
  let code = ''

  const answers: Record<string, (body: never) => unknown> = {
    [pathOf(routes.readKeys)]: () => (ended === 0 ? { state } : { state, ended }),
    [pathOf(routes.enrolKeys)]: ({ epoch, unlockers, chain }: KeyState) => void (state = { epoch, unlockers, chain }),
    [pathOf(routes.addUnlocker)]: ({ unlocker }: { unlocker: Unlocker }) =>
      void (state = state === null ? null : { ...state, unlockers: [...state.unlockers, unlocker] }),
    [pathOf(routes.setRecovery)]: ({ unlocker }: { unlocker: Unlocker | null }) => {
      if (state !== null && unlocker !== null) state = { ...state, unlockers: [...state.unlockers.filter(({ kind }) => kind !== 'recovery'), unlocker] }
    },
    [pathOf(routes.rotateKeys)]: ({ unlockers, link }: { unlockers: Unlocker[]; link: KeyState['chain'][number] }) => {
      state = { epoch: link.epoch + 1, unlockers, chain: [...(state?.chain ?? []), link] }
      return { epoch: link.epoch + 1 }
    },
    [pathOf(routes.resetKeys)]: () => {
      ended = state?.epoch ?? ended
      state = null
      return { files: 3, had: true }
    },
  }
  const call: Sessions['call'] = async (route: Route, body: unknown) => ({ kind: 'answer', value: (answers[pathOf(route)]?.(body as never) ?? {}) as never })
  const sessions = { current: async () => ({ account: { id: account } }), call } as unknown as Sessions
  const real = accountKeys({ sessions, shelf: keyShelf(store), now: () => 1 })
  const kindsOf = (ways: readonly { readonly secret: UnlockSecret }[]): string => ways.map(({ secret }) => secret.kind).join(' ')
  return {
    get state() {
      return state
    },
    set state(next) {
      state = next
    },
    did,
    keys: {
      ...real,
      enrol: async (made, ways) => {
        did.push(`enrolled ${made} ${kindsOf(ways)}`)
        return real.enrol(made, ways)
      },
      setCode: async (made, opened) => {
        did.push(`code ${made}${opened === null ? '' : ' and unlocker'}`)
        return real.setCode(made, opened)
      },
      add: async (opened, way) => {
        did.push(`added ${way.secret.kind}`)
        return real.add(opened, way)
      },
      reset: async name => {
        did.push(`reset ${name}`)
        return real.reset(name)
      },
    },
    passkeys: {
      ask: async ([credential = '']) => {
        const problem = refusal
        refusal = null
        return problem === null ? { value: prfOf(credential), problem } : { value: null, problem }
      },
      make: async () => {
        did.push('made passkey')
        return { value: { credential: 'fresh', able: true, secret: prfOf('fresh') }, problem: null }
      },
    },
    make: async secret => {
      code = mintRecoveryCode()
      const ways = [{ secret: { kind: 'recovery', code } as const, name: '' }, ...(secret === undefined ? [] : [{ secret, name: '' }])]
      const made = await enrolKeys({ account, unlockers: ways, now: 1 })
      state = { epoch: 1, unlockers: made.unlockers, chain: [] }
      await real.open({ kind: 'recovery', code })
      return code
    },
    rotateElsewhere: async () => {
      if (state === null) return
      const opened = await openKeys({ account, state, secret: { kind: 'recovery', code } })
      const { unlockers, link } = await opened.rotate({ state, drop: [], now: 2 })
      state = { epoch: state.epoch + 1, unlockers, chain: [...state.chain, link] }
    },
    lock: () => keyShelf(store).drop(),
    refuse: problem => {
      refusal = problem
    },
  }
}
