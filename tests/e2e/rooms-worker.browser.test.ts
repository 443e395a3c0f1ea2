import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startDeputy, type TestDeputy } from '../support/deputy.ts'
import { openRoomPage } from '../support/room-page.ts'
import type { WorkerAsk } from '../support/room-worker-script.ts'
import { signUp } from '../support/test-accounts.ts'
import { bundle } from '../support/web-origins.ts'

declare global {
  /** A worker of the page, asked one thing after another. */
  var roomWorker: { readonly worker: Worker; ask(ask: WorkerAsk): Promise<unknown> }
}

const folder = join(import.meta.dirname, '../support')
let deputy: TestDeputy
before(async () => {
  deputy = await startDeputy()
})
after(() => deputy?.[Symbol.asyncDispose]())

const ways = {
  'imports rooms with its script': `import '@deputy/client/rooms'\nimport './room-worker-script.ts'`,
  'imports rooms when it needs them': `import './room-worker-script.ts'`,
}
for (const [at, [way, source]] of Object.entries(ways).entries()) {
  test(`a dedicated worker that ${way} has a seat of its own, which ends with it`, async () => {
    const [page, key] = [await openRoomPage(deputy, 'worker', await signUp(deputy.server, 'Katherine')), randomBytes(32).toString('base64url')]
    deputy.web.serve('worker', '/worker.js', await bundle({ source, folder }))
    const seat = await page.evaluate(
      async ({ key, room }) => {
        await roomRealm.open(room, { key })
        const worker = new Worker('/worker.js', { type: 'module' })
        let asked = 0
        globalThis.roomWorker = {
          worker,
          ask: ask =>
            new Promise(resolve => {
              const id = (asked += 1)
              worker.addEventListener('message', ({ data }: MessageEvent<{ id: number; value: unknown }>) => data.id === id && resolve(data.value))
              worker.postMessage({ id, ask })
            }),
        }
        await roomRealm.client.relayWorker(worker)
        // The line is in use before rooms are asked for.
        const name = await roomWorker.ask({ name: 'info' })
        return { name, room: (await roomWorker.ask({ name: 'room', room, key })) as { id: string; self: string; members: number } }
      },
      { key, room: `worked-${at}` },
    )
    const { id, self } = await page.evaluate(() => ({ id: roomRealm.rooms[0]!.room.id, self: roomRealm.rooms[0]!.room.self.id }))
    assert.equal(seat.name, 'Katherine')
    assert.deepEqual([seat.room.id, seat.room.members], [id, 2])
    assert.notEqual(seat.room.self, self)
    const texts = await page.evaluate(async () => {
      await roomRealm.rooms[0]!.room.send('to the worker')
      await roomWorker.ask({ name: 'heard', count: 1 })
      await roomWorker.ask({ name: 'send', text: 'of the worker' })
      return { inWorker: await roomWorker.ask({ name: 'heard', count: 2 }), inPage: roomRealm.rooms[0]!.texts() }
    })
    assert.deepEqual(texts.inWorker, ['to the worker', 'of the worker'])
    assert.deepEqual(texts.inPage, texts.inWorker)
    const left = await page.evaluate(() => {
      roomWorker.worker.terminate()
      return roomRealm.rooms[0]!.until(event => event.type === 'left')
    })
    assert.deepEqual(left, { type: 'left', id: seat.room.self, reason: 'left' })
    await page.close()
  })
}
