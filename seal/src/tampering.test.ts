import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Bytes } from './bytes.ts'
import { mintObjectId, mintObjectKey, openObject, RECORD_BYTES, type ObjectHandle } from './index.ts'
import { drain, open, patterned, recordsOf, serve, store, type Stored } from './objects.test-support.ts'

const SEALED = RECORD_BYTES + 28
const integrity = { name: 'SealError', code: 'integrity' }

const size = 3 * RECORD_BYTES + 500
const honest = await store(patterned(size))
const records = recordsOf(honest.sealed)
const pick = (...indexes: number[]): Bytes => new Uint8Array(Buffer.concat(indexes.map(index => records[index] ?? assert.fail())))

/** The object does not even open. */
async function assertClosed(stored: Pick<Stored, 'key' | 'id' | 'sealed'>): Promise<void> {
  await assert.rejects(open(stored), integrity)
}

/** The handle reads the honest plaintext up to the bad record and fails there; ranges before it are whole, ranges in it give nothing. */
async function assertOpensTo(handle: ObjectHandle, bad: number): Promise<void> {
  const all = await drain(handle.read(0, handle.size))
  assert.deepEqual({ ...(all.failure as object) }, { name: 'SealError', code: 'integrity' })
  assert.ok(all.bytes.equals(honest.plaintext.subarray(0, bad * RECORD_BYTES)))
  const before = await drain(handle.read(0, bad * RECORD_BYTES))
  assert.equal(before.failure, undefined)
  const within = await drain(handle.read(bad * RECORD_BYTES + 10, bad * RECORD_BYTES + 11))
  assert.equal(within.bytes.length, 0)
  assert.equal((within.failure as { code: string }).code, 'integrity')
}

test('the object these tests alter opens as it is', async () => {
  const handle = await open(honest)
  const { bytes, failure } = await drain(handle.read(0, size))
  assert.equal(failure, undefined)
  assert.ok(bytes.equals(honest.plaintext))
})

const places: [string, (record: number) => number][] = [
  ['random part of the nonce', () => 3],
  ['index in the nonce', () => 11],
  ['first byte of the ciphertext', () => 12],
  ['last byte of the ciphertext', record => (records[record]?.length ?? 0) - 17],
  ['tag', record => (records[record]?.length ?? 0) - 1],
]
for (const [place, offset] of places) {
  test(`OBJ-10: a flipped bit in the ${place} of any record is refused at that record`, async () => {
    for (const record of [0, 1, 2, 3]) {
      const sealed = honest.sealed.slice()
      const at = record * SEALED + offset(record)
      sealed[at] = (sealed[at] ?? 0) ^ 0x10
      if (record === 3) await assertClosed({ ...honest, sealed })
      else await assertOpensTo(await open({ ...honest, sealed }), record)
    }
  })
}

test('a flipped bit anywhere is refused', async () => {
  const small = await store(patterned(300))
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: small.sealed.length * 8 - 1 }), async bit => {
      const sealed = small.sealed.slice()
      sealed[bit >> 3] = (sealed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      await assertClosed({ ...small, sealed })
    }),
    { numRuns: 300 },
  )
})

test('records in another order are refused', async () => {
  await assertOpensTo(await open({ ...honest, sealed: pick(1, 0, 2, 3) }), 0)
  await assertOpensTo(await open({ ...honest, sealed: pick(0, 2, 1, 3) }), 1)
  const whole = await store(patterned(2 * RECORD_BYTES))
  await assertClosed({ ...whole, sealed: new Uint8Array(Buffer.concat(recordsOf(whole.sealed).toReversed())) })
})

test('a record in the place of another is refused, also with its index rewritten', async () => {
  const sealed = pick(0, 0, 2, 3)
  await assertOpensTo(await open({ ...honest, sealed }), 1)
  sealed[SEALED + 11] = 1
  await assertOpensTo(await open({ ...honest, sealed }), 1)
})

test('a dropped, repeated or added record is refused', async () => {
  const lists = [[0, 1, 2], [0, 1, 3], [1, 2, 3], [0, 1, 2, 3, 3], [0, 0, 1, 2, 3], [0, 1, 2, 2, 3], [3], [0]]
  for (const list of lists) await assertClosed({ ...honest, sealed: pick(...list) })
  const whole = recordsOf((await store(patterned(2 * RECORD_BYTES))).sealed)
  await assertClosed({ ...honest, sealed: new Uint8Array(Buffer.concat([...whole, ...whole])) })
})

test('an object cut short at a border or inside a record, or made longer, is refused', async () => {
  for (const length of [0, 1, 27, 28, 29, SEALED - 1, SEALED, 2 * SEALED, 3 * SEALED, 3 * SEALED + 28, 3 * SEALED + 29, honest.sealed.length - 1]) {
    await assertClosed({ ...honest, sealed: honest.sealed.slice(0, length) })
  }
  for (const added of [1, 27, 28, 29, SEALED - 528, SEALED]) {
    const sealed = new Uint8Array(honest.sealed.length + added)
    sealed.set(honest.sealed)
    await assertClosed({ ...honest, sealed })
  }
})

test('an object whose length is a lie is refused', async () => {
  const { fetchRange } = serve(honest.sealed)
  const lies = [0, -1, 1.5, NaN, Infinity, 2 ** 53, 27, 28, SEALED, SEALED + 28, honest.sealed.length - 1, honest.sealed.length + 1, 4 * SEALED]
  for (const sealedLength of lies) await assert.rejects(openObject({ ...honest, sealedLength, fetchRange }), integrity, String(sealedLength))
})

test('records of two puts under one key and uuid do not mix', async () => {
  const again = await store(honest.plaintext, honest)
  const other = recordsOf(again.sealed)
  for (const record of [0, 1, 2]) {
    const sealed = honest.sealed.slice()
    sealed.set(other[record] ?? [], record * SEALED)
    await assertOpensTo(await open({ ...honest, sealed }), record)
  }
  const sealed = honest.sealed.slice()
  sealed.set(other[3] ?? [], 3 * SEALED)
  await assertOpensTo(await open({ ...honest, sealed }), 0)
})

test('an object exchanged for another put while a handle reads it is refused', async () => {
  const again = await store(honest.plaintext, honest)
  let current = honest.sealed
  const handle = await openObject({
    ...honest,
    sealedLength: honest.sealed.length,
    fetchRange: (start, end, signal) => serve(current).fetchRange(start, end, signal),
  })
  assert.equal((await drain(handle.read(0, 10))).bytes.length, 10)
  current = again.sealed
  await assertOpensTo(handle, 0)
})

test('two objects of one key do not open in each other’s place, whole or by record', async () => {
  const other = await store(honest.plaintext, { key: honest.key })
  await assertClosed({ ...honest, sealed: other.sealed })
  await assertClosed({ ...other, sealed: honest.sealed })
  const sealed = honest.sealed.slice()
  sealed.set(recordsOf(other.sealed)[1] ?? [], SEALED)
  await assertOpensTo(await open({ ...honest, sealed }), 1)
  const renamed = sealed.slice()
  renamed.set(honest.sealed.subarray(0, 8), SEALED)
  await assertOpensTo(await open({ ...honest, sealed: renamed }), 1)
})

test('OBJ-10: the wrong key or the wrong uuid opens nothing', async () => {
  for (const length of [0, 1, RECORD_BYTES, RECORD_BYTES + 1]) {
    const stored = await store(patterned(length))
    await assertClosed({ ...stored, key: mintObjectKey() })
    await assertClosed({ ...stored, id: mintObjectId() })
  }
})

test('a fetch that delivers less or more than was asked for is refused', async () => {
  const deliveries: [string, (bytes: Bytes) => Uint8Array][] = [
    ['nothing', () => new Uint8Array(0)],
    ['one byte less', bytes => bytes.subarray(0, -1)],
    ['one byte more', bytes => Buffer.concat([bytes, Buffer.of(0)])],
    ['itself twice', bytes => Buffer.concat([bytes, bytes])],
  ]
  for (const [what, deliver] of deliveries) {
    const bad = (start: number, end: number): Promise<ReadableStream<Uint8Array>> =>
      Promise.resolve(new Blob([new Uint8Array(deliver(honest.sealed.slice(start, end)))]).stream())
    await assert.rejects(openObject({ ...honest, sealedLength: honest.sealed.length, fetchRange: bad }), integrity, what)
    let opened = false
    const handle = await openObject({
      ...honest,
      sealedLength: honest.sealed.length,
      fetchRange: (start, end, signal) => {
        if (opened) return bad(start, end)
        opened = true
        return serve(honest.sealed).fetchRange(start, end, signal)
      },
    })
    const { bytes, failure } = await drain(handle.read(0, size))
    assert.equal((failure as { code: string }).code, 'integrity', what)
    assert.ok(bytes.equals(honest.plaintext.subarray(0, bytes.length)))
  }
})

test('a fetch that delivers no bytes at all but strings is refused', async () => {
  const fetchRange = (): Promise<ReadableStream<Uint8Array>> => Promise.resolve(new ReadableStream({ pull: controller => controller.enqueue('text' as never) }))
  await assert.rejects(openObject({ ...honest, sealedLength: honest.sealed.length, fetchRange }), integrity)
})
