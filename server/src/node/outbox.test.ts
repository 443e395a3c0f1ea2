import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOutbox } from './outbox.ts'

const use = (account: string, sent: number, received = 0) => ({ account, app: 'app', sent, received })

test('a report stays as it is until it was taken, and what comes meanwhile is in the next', () => {
  const outbox = openOutbox()
  assert.equal(outbox.due(), undefined)
  outbox.add([use('ada', 1), use('ada', 2, 4), use('grace', 8)])
  const first = outbox.due()
  assert.deepEqual(first, { sequence: 1, uses: [use('ada', 3, 4), use('grace', 8)] })
  outbox.add([use('ada', 100)])
  assert.equal(outbox.due(), first)
  assert.deepEqual(first?.uses[0], use('ada', 3, 4))
  assert.deepEqual([outbox.unreported('ada'), outbox.unreported('grace'), outbox.behind], [107, 8, true])
  outbox.taken()
  assert.deepEqual([outbox.unreported('ada'), outbox.unreported('grace'), outbox.behind, outbox.empty], [100, 0, false, false])
  assert.deepEqual(outbox.due(), { sequence: 2, uses: [use('ada', 100)] })
  outbox.taken()
  assert.ok(outbox.empty)
})

test('a report holds as many lines as may travel, and the rest follow', () => {
  const outbox = openOutbox()
  outbox.add(Array.from({ length: 600 }, (_, index) => use(`account ${index}`, 1)))
  const lengths: number[] = []
  while (!outbox.empty) {
    lengths.push(outbox.due()?.uses.length ?? 0)
    outbox.taken()
  }
  assert.deepEqual(lengths, [256, 256, 88])
})
