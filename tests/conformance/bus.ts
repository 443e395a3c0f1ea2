import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Bus } from '@deputy/server'

/** Opens the implementation under test: two ends that speak to each other; `failed` collects what listeners threw. */
export type OpenBus = () => Promise<{ readonly one: Bus; readonly other: Bus; readonly failed: unknown[]; close(): Promise<void> }>

/** What every implementation of the bus seam must do. */
export function busSuite(name: string, open: OpenBus): void {
  describe(`bus: ${name}`, () => {
    let opened: Awaited<ReturnType<OpenBus>>
    before(async () => {
      opened = await open()
    })
    after(() => opened.close())

    /** Collects messages of a subject; `got(n)` resolves with the first n. */
    const collect = (subject: string) => {
      const messages: unknown[] = []
      const waiting: { count: number; resolve: (messages: unknown[]) => void }[] = []
      const stop = opened.other.subscribe(subject, message => {
        messages.push(message)
        for (const { count, resolve } of waiting) if (messages.length >= count) resolve(messages.slice(0, count))
      })
      const got = (count: number): Promise<unknown[]> =>
        new Promise(resolve => {
          if (messages.length >= count) resolve(messages.slice(0, count))
          else waiting.push({ count, resolve })
        })
      return { got, stop, messages }
    }

    test('messages arrive at every subscriber of their subject, in order', async () => {
      const [first, second, elsewhere] = [collect('a'), collect('a'), collect('b')]
      for (let index = 0; index < 100; index += 1) await opened.one.publish('a', { index })
      await opened.one.publish('b', 'end')
      const expected = Array.from({ length: 100 }, (_, index) => ({ index }))
      assert.deepEqual(await first.got(100), expected)
      assert.deepEqual(await second.got(100), expected)
      assert.deepEqual(await elsewhere.got(1), ['end'])
      for (const { stop } of [first, second, elsewhere]) stop()
    })

    test('after unsubscribing nothing arrives', async () => {
      const [gone, stays] = [collect('c'), collect('c')]
      gone.stop()
      await opened.one.publish('c', 1)
      await stays.got(1)
      assert.deepEqual(gone.messages, [])
      stays.stop()
    })

    test('a subscriber gets a copy: nobody sees what another does to it', async () => {
      const spoil = opened.other.subscribe('d', message => {
        ;(message as { value: number }).value = 2
      })
      const seen = collect('d')
      const sent = { value: 1 }
      await opened.one.publish('d', sent)
      assert.deepEqual(await seen.got(1), [{ value: 1 }])
      assert.deepEqual(sent, { value: 1 })
      spoil()
      seen.stop()
    })

    test('a subscriber that throws is reported and harms no other', async () => {
      const broken = opened.other.subscribe('e', () => {
        throw new Error('broken listener')
      })
      const seen = collect('e')
      await opened.one.publish('e', 1)
      assert.deepEqual(await seen.got(1), [1])
      assert.equal(opened.failed.length, 1)
      broken()
      seen.stop()
    })

    test('a request is answered by the responder, its failure reaches the asker', async () => {
      const stop = opened.other.respond('double', async message => {
        if (typeof message !== 'number') throw new Error('not a number')
        return message * 2
      })
      assert.deepEqual(await Promise.all([1, 2, 3].map(value => opened.one.request('double', value))), [2, 4, 6])
      await assert.rejects(opened.one.request('double', 'x'))
      stop()
      await assert.rejects(opened.one.request('double', 1))
    })

    test('nothing is delivered after closing', async () => {
      const seen = collect('f')
      await opened.other.close()
      await opened.one.close()
      await assert.rejects(opened.one.publish('f', 1))
      await assert.rejects(opened.one.request('double', 1))
      assert.deepEqual(seen.messages, [])
    })
  })
}
