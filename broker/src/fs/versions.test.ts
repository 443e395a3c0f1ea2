import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStore } from '../store/memory.ts'
import { versionsIn, type Told } from './versions.ts'

const name = 'N'.repeat(43)
const told = (version: number, mark: string, of = name): Told => ({ name: of, version, meta: mark.repeat(16) })
const integrity = { code: 'integrity' }

test('a state older than one seen is refused, as is another under the same version and the same under another', async () => {
  const versions = versionsIn(memoryStore(), 'web:https://app.example')
  const unknown = await versions.of('ada', name)
  for (const state of [told(1, 'a'), told(9, 'b')]) unknown.accept(state)
  await versions.note('ada', [told(5, 'e')])
  for (const floor of [await versions.of('ada', name), await versions.ofAll('ada')]) {
    floor.accept(told(5, 'e'))
    floor.accept(told(6, 'f'))
    floor.accept(told(1, 'a', 'M'.repeat(43)))
    for (const state of [told(4, 'd'), told(5, 'x'), told(6, 'e')]) assert.throws(() => floor.accept(state), integrity)
  }
})

test('what was known when the service was asked is what counts, and a late answer lowers nothing', async () => {
  const versions = versionsIn(memoryStore(), 'web:https://app.example')
  await versions.note('ada', [told(2, 'b')])
  const asked = await versions.of('ada', name)
  await versions.note('ada', [told(3, 'c')])
  asked.accept(told(2, 'b'))
  await versions.note('ada', [told(2, 'b')])
  const now = await versions.of('ada', name)
  assert.throws(() => now.accept(told(2, 'b')), integrity)
})

test('another account and another app are told apart, and names of any kind are names', async () => {
  const store = memoryStore()
  const versions = versionsIn(store, 'web:https://app.example')
  await versions.note('ada', [told(5, 'e'), told(1, 'a', '__proto__'), told(1, 'b', 'constructor')])
  for (const floor of [await versions.of('grace', name), await versionsIn(store, 'web:https://other.example').ofAll('ada')]) floor.accept(told(1, 'a'))
  const floor = await versions.ofAll('ada')
  floor.accept(told(1, 'z', 'toString'))
  assert.throws(() => floor.accept(told(1, 'z', 'constructor')), integrity)
})
