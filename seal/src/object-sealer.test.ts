import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mintObjectId, mintObjectKey, OVERHEAD, RECORD_BYTES, sealedLength, sealObject, type ObjectSealer, type SealedPart, type SealError } from './index.ts'
import { chunked, drain, open, patterned, store } from './objects.test-support.ts'

const fresh = (size: number): Promise<ObjectSealer> => sealObject({ key: mintObjectKey(), id: mintObjectId(), size })

async function exhaust(parts: AsyncIterable<{ bytes: Uint8Array }>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const { bytes } of parts) all.push(bytes)
  return Buffer.concat(all)
}

for (const size of [0, 1, RECORD_BYTES - 1, RECORD_BYTES, RECORD_BYTES + 1, 9 * RECORD_BYTES + 12_345]) {
  test(`OBJ-8: ${size} bytes come back, sealed with 28 more per record`, async () => {
    const stored = await store(patterned(size))
    assert.equal(stored.sealed.length, size + OVERHEAD * Math.max(1, Math.ceil(size / RECORD_BYTES)))
    const handle = await open(stored)
    assert.equal(handle.size, size)
    const { bytes, failure } = await drain(handle.read(0, size))
    assert.equal(failure, undefined)
    assert.ok(bytes.equals(stored.plaintext))
  })
}

test('any size, source and chunk length comes back', async () => {
  const size = fc.oneof(
    fc.integer({ min: 0, max: 5_000 }),
    fc.integer({ min: -30, max: 30 }).map(off => 2 * RECORD_BYTES + off),
  )
  await fc.assert(
    fc.asyncProperty(size, fc.integer({ min: 700, max: 3 * RECORD_BYTES }), fc.integer({ min: 1, max: 3 }), async (length, chunk, recordsPerPart) => {
      const [key, id, plaintext] = [mintObjectKey(), mintObjectId(), patterned(length)]
      const sealer = await sealObject({ key, id, size: length })
      const sealed = new Uint8Array(await exhaust(sealer.parts(chunked(plaintext, chunk), { recordsPerPart })))
      const handle = await open({ key, id, sealed })
      assert.ok((await drain(handle.read(0, length))).bytes.equals(plaintext))
    }),
    { numRuns: 20 },
  )
})

test('parts are whole records, numbered from 0, the last one the rest', async () => {
  const size = 5 * RECORD_BYTES + 1
  const sealer = await fresh(size)
  const parts: [number, number][] = []
  for await (const { part, bytes } of sealer.parts(new Blob([patterned(size)]), { recordsPerPart: 2 })) parts.push([part, bytes.length])
  const full = 2 * (RECORD_BYTES + OVERHEAD)
  assert.deepEqual(parts, [
    [0, full],
    [1, full],
    [2, sealedLength(size) - 2 * full],
  ])
  await assert.rejects(exhaust((await fresh(1)).parts(new Blob(['a']), { recordsPerPart: 0 })), { code: 'invalid-size' })
})

test('the bytes of a part stay as they are until it is released, and serve one later part after that', async () => {
  const [key, id, plaintext] = [mintObjectKey(), mintObjectId(), patterned(6 * RECORD_BYTES)]
  const sealer = await sealObject({ key, id, size: plaintext.length })
  const parts = sealer.parts(new Blob([plaintext]), { recordsPerPart: 1 })
  const next = async (): Promise<SealedPart> => (await parts.next()).value ?? assert.fail('no part left')

  const held = [await next(), await next()]
  const copies = held.map(({ bytes }) => Buffer.from(bytes))
  const third = await next()
  third.release()
  third.release()
  const fourth = await next()
  const fifth = await next()
  assert.equal(fourth.bytes.buffer, third.bytes.buffer)
  assert.notEqual(fifth.bytes.buffer, fourth.bytes.buffer)
  for (const [at, copy] of copies.entries()) assert.ok(copy.equals(held[at]?.bytes ?? Buffer.of()))
  await parts.return()
})

test('records sealed one by one, in any order, are the object', async () => {
  const [key, id, plaintext] = [mintObjectKey(), mintObjectId(), patterned(2 * RECORD_BYTES + 7)]
  const sealer = await sealObject({ key, id, size: plaintext.length })
  const last = await sealer.seal(2, plaintext.slice(2 * RECORD_BYTES))
  const first = await sealer.seal(0, plaintext.slice(0, RECORD_BYTES))
  const second = await sealer.seal(1, plaintext.slice(RECORD_BYTES, 2 * RECORD_BYTES))
  const handle = await open({ key, id, sealed: new Uint8Array(Buffer.concat([first, second, last])) })
  assert.ok((await drain(handle.read(0, plaintext.length))).bytes.equals(plaintext))
})

test('an index is sealed once, whatever the plaintext, also while the first is under way', async () => {
  const sealer = await fresh(2 * RECORD_BYTES)
  const record = patterned(RECORD_BYTES)
  const [first, second] = await Promise.allSettled([sealer.seal(1, record), sealer.seal(1, record)])
  assert.equal(first.status, 'fulfilled')
  assert.equal(second.status === 'rejected' && (second.reason as SealError).code, 'sealed-twice')
  await sealer.seal(0, record)
  for (const index of [0, 1]) await assert.rejects(sealer.seal(index, new Uint8Array(RECORD_BYTES)), { code: 'sealed-twice' })
  await assert.rejects(exhaust(sealer.parts(new Blob([record, record]))), { code: 'sealed-twice' })
})

test('a put that starts over seals under another nonce prefix', async () => {
  const same = { key: mintObjectKey(), id: mintObjectId() }
  const [one, other] = await Promise.all([store(patterned(5), same), store(patterned(5), same)])
  assert.notDeepEqual(one.sealed.slice(0, 8), other.sealed.slice(0, 8))
  assert.deepEqual(one.sealed.slice(8, 12), other.sealed.slice(8, 12))
})

test('a record the object does not have is refused', async () => {
  const sealer = await fresh(RECORD_BYTES + 5)
  for (const [index, length] of [
    [0, 5],
    [0, RECORD_BYTES + 1],
    [1, RECORD_BYTES],
    [1, 4],
    [2, 0],
    [-1, RECORD_BYTES],
    [0.5, 5],
    [NaN, 5],
  ] as [number, number][]) {
    await assert.rejects(sealer.seal(index, new Uint8Array(length)), { code: 'invalid-record' }, `${index}, ${length}`)
  }
})

const shortOrLong: [string, (size: number) => ReadableStream<Uint8Array> | Blob][] = [
  ['a stream one byte short', size => chunked(patterned(size - 1), 100_000)],
  ['a stream one byte long', size => chunked(patterned(size + 1), 100_000)],
  ['a byte stream one byte short', size => new Blob([patterned(size - 1)]).stream()],
  ['a byte stream one byte long', size => new Blob([patterned(size + 1)]).stream()],
  ['an empty stream', () => chunked(new Uint8Array(0), 1)],
  ['a stream that ends at a record border', () => chunked(patterned(RECORD_BYTES), RECORD_BYTES)],
  ['a stream that goes on for ever', () => new ReadableStream({ pull: controller => controller.enqueue(new Uint8Array(RECORD_BYTES)) })],
  ['a stream of strings', () => new ReadableStream({ pull: controller => controller.enqueue('text' as never) })],
  ['a Blob one byte short', size => new Blob([patterned(size - 1)])],
  ['a Blob one byte long', size => new Blob([patterned(size + 1)])],
]
for (const [what, source] of shortOrLong) {
  test(`OBJ-6: ${what} is refused before its last part is handed over`, async () => {
    const size = 2 * RECORD_BYTES + 10
    const sealer = await fresh(size)
    const handed: number[] = []
    const run = async (): Promise<void> => {
      for await (const { part } of sealer.parts(source(size), { recordsPerPart: 1 })) handed.push(part)
    }
    await assert.rejects(run(), { name: 'SealError', code: 'short-stream' })
    assert.ok(!handed.includes(2))
  })
}

test('OBJ-6: an empty object takes an empty stream and refuses a byte', async () => {
  assert.equal((await exhaust((await fresh(0)).parts(chunked(new Uint8Array(0), 1)))).length, 28)
  await assert.rejects(exhaust((await fresh(0)).parts(chunked(new Uint8Array(1), 1))), { code: 'short-stream' })
})

test('what the source fails with is what the sealing fails with', async () => {
  const failure = new Error('the disk is gone')
  const source = new ReadableStream<Uint8Array>({ pull: controller => controller.error(failure) })
  await assert.rejects(exhaust((await fresh(10)).parts(source)), failure)
})

test('a signal ends the sealing with its reason and cancels the source, also while it waits for bytes', async () => {
  const abort = new AbortController()
  const cancelled = Promise.withResolvers<unknown>()
  const asked = Promise.withResolvers<void>()
  const source = new ReadableStream<Uint8Array>({
    pull: () => {
      asked.resolve()
      return new Promise(() => undefined)
    },
    cancel: reason => cancelled.resolve(reason),
  })
  const sealing = exhaust((await fresh(10)).parts(source, { signal: abort.signal }))
  await asked.promise
  const reason = new Error('enough')
  abort.abort(reason)
  await assert.rejects(sealing, reason)
  assert.equal(await cancelled.promise, reason)
  await assert.rejects(exhaust((await fresh(10)).parts(new Blob([patterned(10)]), { signal: abort.signal })), reason)
})

test('leaving the parts early cancels the source', async () => {
  let cancelled = false
  const source = new ReadableStream<Uint8Array>({
    pull: controller => controller.enqueue(new Uint8Array(RECORD_BYTES)),
    cancel: () => {
      cancelled = true
    },
  })
  for await (const { part } of (await fresh(100 * RECORD_BYTES)).parts(source)) {
    assert.equal(part, 0)
    break
  }
  assert.equal(cancelled, true)
})

test('a consumer that waits holds the source back', async () => {
  let delivered = 0
  const source = new ReadableStream<Uint8Array>(
    {
      pull: controller => {
        delivered++
        controller.enqueue(new Uint8Array(RECORD_BYTES))
      },
    },
    { highWaterMark: 0 },
  )
  const parts = (await fresh(100 * RECORD_BYTES)).parts(source, { recordsPerPart: 1 })
  for (let part = 0; part < 5; part++) await parts.next()
  for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve))
  assert.equal(delivered, 5 + 1)
  await parts.return()
})
