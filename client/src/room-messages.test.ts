import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crowd } from './room-crowd.test-support.ts'
import { messages, type MessagesOptions } from './room-messages.ts'
import type { Room } from './rooms.ts'

async function texts(room: Pick<Room, 'on' | 'closed' | 'backlog' | 'mailbox'>, count: number, options?: MessagesOptions): Promise<string[]> {
  const heard: string[] = []
  for await (const { text } of messages(room, options)) if (heard.push(text) === count) break
  return heard
}

test('messages are iterated in order, also those between two steps, and end with the room', async () => {
  const place = crowd()
  const [ada, ben] = [place.enter('ada'), place.enter('ben')]
  await ben.send('before')
  const heard: string[] = []
  for await (const { text } of messages(ada)) {
    heard.push(text)
    if (text === 'before') {
      await ben.send('one')
      place.tell({ type: 'deleted', from: 1, to: 1 })
      await ben.say({ kind: 'ask', id: 'x' })
      await ben.send('two')
    }
    if (text === 'two') ada.leave()
  }
  assert.deepEqual(heard, ['before', 'one', 'two'], 'without what carries requests')
  assert.equal(ada.standing, 0)
})

test('a signal ends the iteration with its reason, and leaving the loop ends the listener', async () => {
  const place = crowd()
  const [ada, ben] = [place.enter('ada'), place.enter('ben')]
  const controller = new AbortController()
  const waiting = messages(ada, { signal: controller.signal }).next()
  controller.abort('enough')
  await assert.rejects(waiting, reason => reason === 'enough')
  const second = messages(ada)
  const step = second.next()
  await ben.send('one')
  assert.equal((await step).done, false)
  assert.equal(ada.standing, 1)
  await second.return()
  assert.equal(ada.standing, 0)
})

test('with a backlog the stored messages come first, page by page, each once, also those that arrive and are read meanwhile', async () => {
  const place = crowd({ keeps: true })
  const [ada, ben] = [place.enter('ada'), place.enter('ben')]
  for (const text of ['1', '2', '3', '4', '5']) await ben.send(text)
  const heard: string[] = []
  for await (const { text } of messages(ada, { backlog: 1 })) {
    heard.push(text)
    if (text === '2') {
      await ben.send('6')
      // Another page that the app reads is none of the iteration's.
      await ada.backlog(4, 9)
    }
    if (text === '6') await ben.send('7')
    if (text === '7') break
  }
  assert.deepEqual(heard, ['2', '3', '4', '5', '6', '7'])
})

test('a loop that falls behind goes on from the mailbox, and without one it ends with an error: nothing is lost in silence', async () => {
  for (const keeps of [true, false]) {
    const place = crowd({ keeps })
    const [ada, ben] = [place.enter('ada'), place.enter('ben')]
    const iterating = messages(ada, { buffer: 3, ...(keeps ? { backlog: 0 } : {}) })
    const first = iterating.next()
    for (let at = 1; at <= 9; at += 1) await ben.send(`${at}`)
    const heard = [(await first).value?.text]
    const rest = async () => {
      for (let at = 2; at <= 9; at += 1) heard.push((await iterating.next()).value?.text)
    }
    if (keeps) await rest()
    else await assert.rejects(rest(), RangeError)
    assert.deepEqual(heard, ['1', '2', '3', '4', '5', '6', '7', '8', '9'].slice(0, keeps ? 9 : 4))
    await iterating.return()
  }
})

test('an iteration that reads its backlog ends with the room as well', async () => {
  const place = crowd({ keeps: true })
  const ben = place.enter('ben')
  for (const text of ['1', '2', '3']) await ben.send(text)
  const ada = place.enter('ada')
  const reading = texts(ada, 99, { backlog: 0 })
  ada.leave()
  assert.deepEqual(await reading, [])
})
