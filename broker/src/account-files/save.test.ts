import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { saveStream } from './save.ts'

const large = 2 ** 30
const stream = (): ReadableStream<Uint8Array<ArrayBuffer>> => new Blob(['one', 'two']).stream()
const picking = (pick: (options: { suggestedName: string }) => Promise<unknown>): void => void Object.assign(globalThis, { showSaveFilePicker: pick })

afterEach(() => {
  delete (globalThis as { showSaveFilePicker?: unknown }).showSaveFilePicker
})

test('what is large goes to the place the person picks, as it comes', async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const text = new Response(readable).text()
  let asked = ''
  picking(async ({ suggestedName }) => {
    asked = suggestedName
    return { createWritable: async () => writable }
  })
  assert.equal(await saveStream('all.zip', large, 'application/zip', stream), true)
  assert.deepEqual([asked, await text], ['all.zip', 'onetwo'])
})

test('nothing is read when the person picks no place; another fault is told', async () => {
  let made = 0
  const make = () => {
    made += 1
    return stream()
  }
  picking(() => Promise.reject(new DOMException('no', 'AbortError')))
  assert.equal(await saveStream('all.zip', large, 'application/zip', make), false)
  picking(() => Promise.reject(new DOMException('no', 'SecurityError')))
  await assert.rejects(saveStream('all.zip', large, 'application/zip', make), { name: 'SecurityError' })
  assert.equal(made, 0)
})
