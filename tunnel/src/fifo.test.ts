import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fifo } from './fifo.ts'

test('a queue keeps its order over many pushes, shifts and removals', () => {
  const queue = new Fifo<number>()
  const model: number[] = []
  let next = 0
  for (let step = 0; step < 5000; step += 1) {
    const kind = (step * 7919) % 11
    if (kind < 6) {
      queue.push(next)
      model.push(next)
      next += 1
    } else if (kind < 10) assert.equal(queue.shift(), model.shift())
    else {
      const at = model.findIndex(item => item % 3 === 0)
      assert.equal(
        queue.remove(item => item % 3 === 0),
        at < 0 ? undefined : model.splice(at, 1)[0],
      )
    }
    assert.equal(queue.size, model.length)
    assert.equal(queue.first, model[0])
  }
  assert.deepEqual([...queue], model)
  queue.clear()
  assert.equal(queue.shift(), undefined)
  assert.equal(queue.size, 0)
})
