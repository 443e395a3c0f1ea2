import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startDeputy, type TestDeputy } from '../support/deputy.ts'
import { openRoomPage } from '../support/room-page.ts'
import { bundle, pageOf } from '../support/web-origins.ts'

const key = randomBytes(32).toString('base64url')
let deputy: TestDeputy
before(async () => {
  deputy = await startDeputy()
})
after(() => deputy?.[Symbol.asyncDispose]())

test('useRoom in strict mode: one seat, messages and members as they change, another room, a reload that keeps the seat, and leaving', async () => {
  const other = await openRoomPage(deputy, 'react')
  await other.evaluate(async key => {
    for (const name of ['one', 'two']) await roomRealm.open(name, { key })
  }, key)
  const script = await bundle(join(import.meta.dirname, '../support/room-react-script.ts'))
  deputy.web.serve('react', '/chat', pageOf(script, '<div id="root"></div>'))
  const page = await deputy.context.newPage()
  page.setDefaultTimeout(30_000)
  await page.goto(`${deputy.web.origin('react')}/chat?key=${key}&broker=${encodeURIComponent(deputy.server.origins.broker)}`)
  const shows = (id: string, text: string) => page.waitForFunction(([id, text]) => document.getElementById(id!)?.textContent === text, [id, text])
  const hears = (room: number, type: string) =>
    other.waitForFunction(([room, type]) => roomRealm.rooms[room]!.events.some(event => event.type === type), [room, type] as const)
  const texts = () => page.locator('li').allTextContents()

  await shows('status', 'open')
  await shows('members', '2')
  assert.equal(await page.evaluate(() => (globalThis as unknown as { entered: { count: number } }).entered.count), 1)
  await other.evaluate(async () => {
    const { room } = roomRealm.rooms[0]!
    await room.send('hello')
    await room.send('\u0000deputy:{"kind":"ask"}')
    await room.send('there')
  })
  await page.click('#say')
  await page.waitForFunction(() => document.querySelectorAll('li').length === 3)
  assert.deepEqual(await texts(), ['hello', 'there', 'from one'])

  const seat = await page.textContent('#self')
  await page.reload()
  await shows('status', 'open')
  assert.equal(await page.textContent('#self'), seat, 'a reload within the hold keeps the seat')
  assert.deepEqual(await other.evaluate(() => roomRealm.rooms[0]!.events.map(({ type }) => type)), ['joined', 'message', 'message', 'message', 'message'])

  await page.click('#to-two')
  await hears(0, 'left')
  await hears(1, 'joined')
  await shows('status', 'open')
  assert.deepEqual(await texts(), [], 'nothing of the room before')
  await other.evaluate(() =>
    roomRealm.rooms[1]!.room.remove(roomRealm.rooms[1]!.events.flatMap(event => (event.type === 'joined' ? [event.member.id] : []))[0]!),
  )
  await shows('status', 'removed')
  await page.click('#to-null')
  await page.click('#to-two')
  await shows('status', 'open')
  await page.click('#to-null')
  await other.waitForFunction(() => roomRealm.rooms[1]!.events.filter(event => event.type === 'left').length === 2)
  assert.equal(await page.locator('section').count(), 0)
})
