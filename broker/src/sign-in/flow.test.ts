import assert from 'node:assert/strict'
import test from 'node:test'
import { pathOf } from '@deputy/contract/api'
import { appConnected, authorizeApp } from '@deputy/contract/api-apps'
import type { Sessions, Session } from '../sessions/sessions.ts'
import { signInFlow } from './flow.ts'
import type { Opening } from './opener.ts'
import type { SignInFlow, SignInState } from './state.ts'
import type { Tried, Ways } from './ways.ts'

const account = { id: 'a', name: 'Ada', image: null, email: null, admin: false, premium: false, premiumUntil: null, created: 1 }
const session: Session = { token: 't'.repeat(43), id: 's', kind: 'account', app: null, renewAt: 1e15, expiresAt: 2e15, account }
const got = <T>(value: T): Tried<T> => ({ value, problem: null })
const failed = (problem: 'wrong-code' | 'expired' | 'cancelled'): Tried<never> => ({ value: null, problem })
const signedIn = (recoveryCode: string | null = null) => got({ session, recoveryCode })

const noWay = async (): Promise<never> => assert.fail('this way was not meant')
const ways: Ways = { passkey: noWay, newAccount: noWay, sendEmail: noWay, emailCode: noWay, recoveryCode: noWay, beginProvider: noWay, finishProvider: noWay }

interface Given {
  readonly held?: Session | null
  readonly connected?: boolean
  readonly choose?: boolean
  readonly opening?: 'alone' | 'cut-off' | 'app'
  readonly ways?: Partial<Ways>
  readonly returned?: { readonly ceremony: string; readonly url: string }
}

/** A flow over answers that stand fixed, and what it did. */
function flowOf({ held = null, connected = false, choose = false, opening = 'app', returned, ...given }: Given = {}) {
  const did: string[] = []
  let current = held
  const answers: Record<string, unknown> = { [pathOf(appConnected)]: { connected }, [pathOf(authorizeApp)]: { code: 'the-code' } }
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
      request: { type: 'deputy:request', app: 'https://photos.example', purpose: 'sign-in', challenge: 'c'.repeat(43), choose },
      allow: async code => void did.push(`allowed ${code}`),
      refuse: () => void did.push('refused'),
    },
  }
  const flow = signInFlow({
    site: async () => ({ broker: '', api: '', cdn: '', build: '1', providers: [{ id: 'one', title: 'One' }] }),
    ways: async () => ({ ...ways, ...given.ways }),
    sessions,
    meet: async () => (opening === 'app' ? app : { kind: opening }),
    trip: { leave: (ceremony, url) => void did.push(`left ${ceremony} ${url}`), returned: () => returned ?? null },
    close: () => void did.push('closed'),
  })
  return { flow, did }
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

test('a fresh account is shown its recovery code before anything else', async () => {
  const { flow, did } = flowOf({ ways: { newAccount: async name => signedIn(`code of ${name}`) } })
  await at(flow, 'choose')
  await flow.actions.signUp('  Ada ')
  assert.equal((await at(flow, 'show-recovery')).code, 'code of Ada')
  assert.ok(!did.some(step => step.startsWith('allowed')))
  await flow.actions.recoverySaved()
  await at(flow, 'allow')
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

test('the recovery code signs in and shows its successor', async () => {
  const { flow } = flowOf({ opening: 'alone', ways: { recoveryCode: async () => signedIn('next') } })
  await at(flow, 'choose')
  flow.actions.showRecovery()
  await flow.actions.recover('code')
  assert.equal((await at(flow, 'show-recovery')).code, 'next')
  await flow.actions.recoverySaved()
  assert.equal((await at(flow, 'done')).account?.name, 'Ada')
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
