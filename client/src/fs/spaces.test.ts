import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cloudCalls } from './cloud-calls.ts'
import { isCode } from './errors.ts'
import { type Tab, world } from './fuzz-devices.test-support.ts'
import { modelCloud } from './model-cloud.test-support.ts'

/** Lets time pass until a promise settles. */
async function during<T>(pass: (milliseconds: number) => Promise<void>, promise: Promise<T>): Promise<T> {
  let isOver = false
  const over = (): void => void (isOver = true)
  promise.then(over, over)
  for (let turns = 0; !isOver && turns < 5_000; turns++) await pass(5)
  return promise
}
const owedOf = async (tab: Tab): Promise<number> => {
  const { device } = tab
  const records = await Promise.all((await device.spaces()).map(({ id }) => device.recordsOf(id)))
  return records.flat().filter(({ owed }) => owed !== null).length
}

test('FS-3: a broker that cannot pin is sent no storage call', async () => {
  const sent: string[] = []
  const { fs } = modelCloud().device('ada')
  const old = Object.fromEntries(
    Object.entries(fs)
      .filter(([name]) => name !== 'accountPin')
      .map(([name]) => [name, async () => void sent.push(name)]),
  )
  const calls = cloudCalls(async () => old)
  const tries = [
    () => calls.pin(),
    () => calls.stat('pin', 'a'),
    () => calls.read('pin', 'a'),
    () => calls.write('pin', 'a', new Uint8Array(), null),
    () => calls.changes('pin'),
  ]
  for (const run of tries) await assert.rejects(run, error => isCode(error, 'PIN_UNSUPPORTED'))
  assert.deepEqual(sent, [])
})

test('FS-13: a write stays owed while nobody can say who is signed in, and is owed to nobody when nobody is', async () => {
  const { device, pass, cloud } = world(7, () => undefined)
  const at = device('one', 'ada')
  const tab = at.open()
  await during(pass, tab.files.writeFile('first', 'known'))
  await pass(30_000)
  assert.equal(cloud.contents('ada').get('first'), 'known')

  // Unknown: kept as owed, through the end of the tab as well.
  at.online(false)
  await during(pass, tab.files.writeFile('queued', 'while unknown'))
  tab.crash()
  const next = at.open()
  await during(pass, next.files.readFile('queued'))
  assert.equal(await owedOf(next), 1)
  at.online(true)
  await pass(120_000)
  assert.equal(await owedOf(next), 0)
  assert.equal(cloud.contents('ada').get('queued'), 'while unknown')

  // Disconnected is an answer: nothing is owed, and nothing told once somebody is connected, unless they say so.
  at.broker.onAdopt = async () => false
  at.signIn(null)
  await pass(10_000)
  await during(pass, next.files.writeFile('own', 'of nobody'))
  assert.equal(await owedOf(next), 0)
  at.signIn('ada')
  await pass(60_000)
  assert.equal(cloud.contents('ada').has('own'), false)
  assert.equal(await during(pass, next.files.exists('own')), false)
})

test('FS-2: what one account owes waits while another is signed in, and is told when it is back', async () => {
  const { device, pass, cloud } = world(8, () => undefined)
  const at = device('one', 'ada')
  const tab = at.open()
  await during(pass, tab.files.writeFile('here', 'begun'))
  await pass(30_000)
  at.online(false)
  await during(pass, tab.files.writeFile('secret', 'of ada'))
  at.signIn('bob')
  at.online(true)
  await pass(120_000)
  assert.deepEqual([...cloud.contents('bob')], [])
  assert.equal(await during(pass, tab.files.exists('secret')), false)
  assert.equal(tab.local.status().waiting, 1)
  at.signIn('ada')
  await pass(120_000)
  assert.equal(cloud.contents('ada').get('secret'), 'of ada')
  assert.equal(tab.local.status().waiting, 0)
})

test('FS-10: files of nobody are taken into the account once the person says so', async () => {
  const { device, pass, cloud } = world(9, () => undefined)
  const at = device('one', null)
  const tab = at.open()
  await during(pass, tab.files.writeFile('draft', 'before'))
  await pass(10_000)
  const asked: unknown[] = []
  at.broker.onAdopt = async request => {
    asked.push(request)
    return true
  }
  at.signIn('ada')
  await pass(60_000)
  assert.deepEqual(asked, [{ files: 1, bytes: 6 }])
  assert.equal(cloud.contents('ada').get('draft'), 'before')
  assert.equal((await at.recordsOf('nobody')).length, 0)
})
