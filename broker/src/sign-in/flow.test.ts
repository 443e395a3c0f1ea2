import assert from 'node:assert/strict'
import test from 'node:test'
import { pathOf } from '@deputy/contract/api'
import { listPasskeys } from '@deputy/contract/api-accounts'
import { appConnected, authorizeApp } from '@deputy/contract/api-apps'
import { memoryKeys, prfOf, type MemoryKeys } from '../keys/memory-keys.test-support.ts'
import type { Sessions, Session } from '../sessions/sessions.ts'
import { signInFlow } from './flow.ts'
import type { Opening } from './opener.ts'
import type { SignInFlow, SignInState } from './state.ts'
import type { Tried } from './tried.ts'
import type { SignedIn, Ways } from './ways.ts'

const account = { id: 'a', name: 'Ada', image: null, email: null, admin: false, premium: false, premiumUntil: null, created: 1 }
const session: Session = { token: 't'.repeat(43), id: 's', kind: 'account', app: null, renewAt: 1e15, expiresAt: 2e15, account }
const got = <T>(value: T): Tried<T> => ({ value, problem: null })
const failed = (problem: 'wrong-code' | 'expired' | 'cancelled'): Tried<never> => ({ value: null, problem })
const passkey = (able = true, tells = able): SignedIn['passkey'] => ({ credential: 'one', able, secret: tells ? prfOf('one') : null })
const signedIn = (more: Partial<Omit<SignedIn, 'session'>> = {}) => got<SignedIn>({ session, recovery: true, secret: null, passkey: null, ...more })
const byPasskey = (recovery = true) => signedIn({ recovery, secret: prfOf('one'), passkey: passkey() })

const noWay = async (): Promise<never> => assert.fail('this way was not meant')
const ways: Ways = { passkey: noWay, newAccount: noWay, sendEmail: noWay, emailCode: noWay, recoveryCode: noWay, beginProvider: noWay, finishProvider: noWay }

interface Given {
  readonly held?: Session | null
  readonly connected?: boolean
  readonly choose?: boolean
  readonly opening?: 'alone' | 'cut-off' | 'app'
  readonly ways?: Partial<Ways>
  readonly purpose?: 'sign-in' | 'unlock'
  readonly keys?: MemoryKeys
  readonly returned?: { readonly ceremony: string; readonly url: string }
}

/** A flow over answers that stand fixed, and what it did. */
function flowOf({ held = null, connected = false, choose = false, opening = 'app', purpose = 'sign-in', keys = memoryKeys(), returned, ...given }: Given = {}) {
  const did: string[] = []
  let current = held
  const answers: Record<string, unknown> = {
    [pathOf(appConnected)]: { connected },
    [pathOf(authorizeApp)]: { code: 'the-code' },
    [pathOf(listPasskeys)]: { passkeys: [{ id: 'one' }] },
  }
  const sessions: Sessions = {
    current: async () => current,
    acting: async () => current,
    call: async route => (current === null ? { kind: 'unauthorized' } : { kind: 'answer', value: answers[pathOf(route)] as never }),
    adopt: async session => {
      current = session
      did.push('adopted')
    },
    end: async () => {
      current = null
      did.push('ended')
    },
    onChange: () => () => {},
    lastWork: () => {},
  }
  const app: Opening = {
    kind: 'opener',
    opener: {
      request: { type: 'deputy:request', app: 'https://photos.example', purpose, account: 'a', challenge: 'c'.repeat(43), choose },
      allow: async (code, appKeys) => void did.push(`allowed ${code}${appKeys === null ? '' : ` with keys of ${appKeys.epoch}`}`),
      refuse: () => void did.push('refused'),
    },
  }
  const flow = signInFlow({
    site: async () => ({ broker: '', api: '', cdn: '', build: '1', providers: [{ id: 'one', title: 'One' }] }),
    ways: async () => ({ ...ways, ...given.ways }),
    sessions,
    keys: keys.keys,
    passkeys: keys.passkeys,
    meet: async () => (opening === 'app' ? app : { kind: opening }),
    trip: { leave: (ceremony, url) => void did.push(`left ${ceremony} ${url}`), returned: () => returned ?? null },
    close: () => void did.push('closed'),
  })
  return { flow, did, keys }
}

/** Resolves once the flow stands at the step and waits for the person. */
const at = <S extends SignInState['step']>(flow: SignInFlow, step: S): Promise<Extract<SignInState, { step: S }>> =>
  new Promise(resolve => {
    const look = (): void => {
      const { state } = flow
      if (state.step !== step || ('busy' in state && state.busy)) return
      end()
      resolve(state as Extract<SignInState, { step: S }>)
    }
    const end = flow.subscribe(look)
    look()
  })

test('a stranger signs in with a passkey and is asked whether the app may', async () => {
  const { flow, did } = flowOf({ ways: { passkey: async () => signedIn() } })
  assert.deepEqual((await at(flow, 'choose')).app, { id: 'web:https://photos.example', origin: 'https://photos.example', host: 'photos.example' })
  await flow.actions.signInWithPasskey()
  assert.equal((await at(flow, 'allow')).connected, false)
  await flow.actions.allow()
  assert.equal(flow.state.step, 'done')
  assert.deepEqual(did, ['adopted', 'allowed the-code', 'closed'])
})

test('a fresh account is shown its recovery code, which is set when the person keeps it, with keys the passkey opens', async () => {
  const { flow, did, keys } = flowOf({ ways: { newAccount: async () => byPasskey(false) } })
  await at(flow, 'choose')
  await flow.actions.signUp('  Ada ')
  const shown = await at(flow, 'show-recovery')
  assert.deepEqual([shown.again, shown.replaces, keys.did], [false, false, []])
  assert.ok(!did.some(step => step.startsWith('allowed')))
  await flow.actions.recoverySaved()
  await at(flow, 'allow')
  assert.deepEqual(keys.did, [`enrolled ${shown.code} passkey`])
  await flow.actions.allow()
  assert.deepEqual(did, ['adopted', 'allowed the-code with keys of 1', 'closed'])
})

test('a passkey that tells its secret only when asked again is asked once more; without it only the code is set', async () => {
  const again = flowOf({ ways: { newAccount: async () => signedIn({ recovery: false, passkey: passkey(true, false) }) } })
  await at(again.flow, 'choose')
  await again.flow.actions.signUp('Ada')
  assert.equal((await at(again.flow, 'show-recovery')).again, true)
  again.keys.refuse('cancelled')
  await again.flow.actions.recoverySaved()
  const refused = await at(again.flow, 'show-recovery')
  assert.equal(refused.problem, 'cancelled')
  await again.flow.actions.recoverySaved()
  await at(again.flow, 'allow')
  assert.deepEqual(again.keys.did, [`enrolled ${refused.code} passkey`])

  const without = flowOf({ ways: { newAccount: async () => signedIn({ recovery: false, passkey: passkey(false) }) } })
  await at(without.flow, 'choose')
  await without.flow.actions.signUp('Ada')
  const { code } = await at(without.flow, 'show-recovery')
  await without.flow.actions.recoverySaved()
  await at(without.flow, 'allow')
  assert.deepEqual(without.keys.did, [`code ${code}`])
})

test('a window closed before the code was kept: it is offered again by the next one, and another code', async () => {
  const keys = memoryKeys()
  const first = flowOf({ keys, opening: 'alone', ways: { newAccount: async () => byPasskey(false) } })
  await at(first.flow, 'choose')
  await first.flow.actions.signUp('Ada')
  const { code } = await at(first.flow, 'show-recovery')
  const next = flowOf({ keys, opening: 'alone', held: session })
  const shown = await at(next.flow, 'show-recovery')
  assert.notEqual(shown.code, code)
  await next.flow.actions.recoverySaved()
  await at(next.flow, 'done')
  assert.deepEqual(keys.did, [`code ${shown.code}`])
  await at(flowOf({ keys, opening: 'alone', held: session }).flow, 'done')
})

test('a person who is signed in and connected the app is asked nothing, unless they signed out of the app since', async () => {
  const again = flowOf({ held: session, connected: true })
  await at(again.flow, 'done')
  assert.deepEqual(again.did, ['allowed the-code', 'closed'])

  const chooses = flowOf({ held: session, connected: true, choose: true })
  assert.equal((await at(chooses.flow, 'allow')).connected, true)
  await chooses.flow.actions.useAnotherAccount()
  await at(chooses.flow, 'choose')
  assert.deepEqual(chooses.did, ['ended'])
})

test('a refusal reaches the frame, and nothing is authorised', async () => {
  const { flow, did } = flowOf({ held: session })
  await at(flow, 'allow')
  flow.actions.refuse()
  assert.deepEqual(did, ['refused', 'closed'])
})

test('the e-mail code: a wrong one may be tried again, an expired one begins anew', async () => {
  const answers = [failed('wrong-code'), failed('expired')]
  const { flow } = flowOf({ ways: { sendEmail: async () => got('ceremony'), emailCode: async () => answers.shift() ?? signedIn() } })
  await at(flow, 'choose')
  await flow.actions.sendEmail(' ada@example.org ')
  assert.equal((await at(flow, 'email-code')).email, 'ada@example.org')
  await flow.actions.enterEmailCode('1234 5678')
  assert.equal((await at(flow, 'email-code')).problem, 'wrong-code')
  await flow.actions.enterEmailCode('12345678')
  assert.equal((await at(flow, 'choose')).problem, 'expired')
})

test('a second try while one is under way does nothing', async () => {
  let tries = 0
  const answer = Promise.withResolvers<Tried<never>>()
  const passkey = (): Promise<Tried<never>> => {
    tries += 1
    return answer.promise
  }
  const { flow } = flowOf({ ways: { passkey } })
  await at(flow, 'choose')
  const first = flow.actions.signInWithPasskey()
  await flow.actions.signInWithPasskey()
  answer.resolve(failed('cancelled'))
  await first
  assert.equal(tries, 1)
  assert.equal((await at(flow, 'choose')).problem, 'cancelled')
})

test('the recovery code signs in, opens the keys, and gives way to its successor; then a passkey is offered', async () => {
  const keys = memoryKeys()
  const code = await keys.make()
  const { flow } = flowOf({ keys, opening: 'alone', ways: { recoveryCode: async () => signedIn({ recovery: false, secret: { kind: 'recovery', code } }) } })
  await at(flow, 'choose')
  flow.actions.showRecovery()
  await flow.actions.recover('code')
  const shown = await at(flow, 'show-recovery')
  assert.notEqual(shown.code, code)
  await flow.actions.recoverySaved()
  await at(flow, 'add-passkey')
  await flow.actions.addPasskey()
  assert.equal((await at(flow, 'done')).account?.name, 'Ada')
  assert.deepEqual(keys.did, [`code ${shown.code} and unlocker`, 'made passkey', 'added passkey'])
})

test('an app that needs keys: they are made with a passphrase, one code is shown, and only keys are handed over', async () => {
  const { flow, did, keys } = flowOf({ held: session, connected: true, purpose: 'unlock' })
  assert.equal((await at(flow, 'enrol')).passkey, true)
  await flow.actions.enrolWithPassphrase('a horse on the roof sings')
  const shown = await at(flow, 'show-recovery')
  assert.equal(shown.replaces, true)
  await flow.actions.recoverySaved()
  await at(flow, 'done')
  assert.deepEqual(keys.did, [`enrolled ${shown.code} passphrase`])
  assert.deepEqual(did, ['allowed null with keys of 1', 'closed'])
})

test('keys that are held and newest go over at once; older ones ask to be opened, with clear words for what does not open them', async () => {
  const keys = memoryKeys()
  const code = await keys.make({ kind: 'passphrase', text: 'right' })
  const at1 = flowOf({ keys, held: session, connected: true, purpose: 'unlock' })
  await at(at1.flow, 'done')
  assert.deepEqual(at1.did, ['allowed null with keys of 1', 'closed'])
  await keys.rotateElsewhere()
  const { flow, did } = flowOf({ keys, held: session, connected: true, purpose: 'unlock' })
  assert.deepEqual((await at(flow, 'unlock')).ways, { passkey: false, passphrase: true })
  await flow.actions.unlockWithPassphrase('wrong')
  assert.equal((await at(flow, 'unlock')).problem, 'wrong-passphrase')
  await flow.actions.unlockWithCode('AAAA')
  assert.equal((await at(flow, 'unlock')).problem, 'mistyped-code')
  await flow.actions.unlockWithCode(code.replace(/-/g, ' ').toLowerCase())
  await at(flow, 'add-passkey')
  await flow.actions.later()
  await at(flow, 'done')
  assert.deepEqual(did, ['allowed null with keys of 2', 'closed'])
})

test('a passkey that never opened the keys is taken in once they are open', async () => {
  const keys = memoryKeys()
  await keys.make({ kind: 'passphrase', text: 'right' })
  await keys.keys.dropOthers()
  await keys.lock()
  const { flow } = flowOf({ keys, connected: true, purpose: 'unlock', ways: { passkey: async () => byPasskey() } })
  await at(flow, 'choose')
  await flow.actions.signInWithPasskey()
  await at(flow, 'unlock')
  await flow.actions.unlockWithPassphrase('right')
  await at(flow, 'done')
  assert.deepEqual(keys.did, ['added passkey'])
})

test('keys nobody can open are given up with the name typed, and made anew', async () => {
  const keys = memoryKeys()
  await keys.make({ kind: 'passphrase', text: 'lost' })
  await keys.lock()
  const { flow } = flowOf({ keys, held: session, connected: true, purpose: 'unlock' })
  await at(flow, 'unlock')
  flow.actions.showLost()
  assert.equal((await at(flow, 'lost')).name, 'Ada')
  flow.actions.back()
  await at(flow, 'unlock')
  flow.actions.showLost()
  await flow.actions.giveUpKeys('Ada')
  await at(flow, 'enrol')
  assert.deepEqual(keys.did, ['reset Ada'])
})

test('keys this browser has seen cannot be said away: the person is asked before new ones are made', async () => {
  const keys = memoryKeys()
  await keys.make()
  await keys.lock()
  keys.state = null
  const { flow } = flowOf({ keys, held: session, connected: true, purpose: 'unlock' })
  assert.equal((await at(flow, 'unlock')).problem, 'keys-old')
  await flow.actions.beganAnew()
  await at(flow, 'enrol')
})

test('an outside provider: the window leaves, and goes on where it comes back', async () => {
  const leaving = flowOf({ ways: { beginProvider: async () => got({ ceremony: 'c', url: 'https://id.example/' }) } })
  await at(leaving.flow, 'choose')
  await leaving.flow.actions.useProvider('one')
  assert.deepEqual(leaving.did, ['left c https://id.example/'])
  const back = flowOf({ returned: { ceremony: 'c', url: 'https://broker.example/sign-in?code=1' }, ways: { finishProvider: async () => signedIn() } })
  await at(back.flow, 'allow')
})

test('a window that cannot hear its app says so and offers to go on without it', async () => {
  const { flow, did } = flowOf({ opening: 'cut-off', held: session })
  assert.equal((await at(flow, 'cut-off')).app, null)
  await flow.actions.continueWithoutApp()
  assert.equal((await at(flow, 'done')).account?.name, 'Ada')
  assert.deepEqual(did, [])
})
