import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mintObjectKey, openObject, RECORD_BYTES, type FetchRange } from './index.ts'
import { chunked, drain, patterned, serve, store } from './objects.test-support.ts'

const SEALED = RECORD_BYTES + 28
const size = 20 * RECORD_BYTES + 100
const large = await store(patterned(size))

const openLarge = (fetchRange: FetchRange): ReturnType<typeof openObject> =>
  openObject({ key: large.key, id: large.id, sealedLength: large.sealed.length, fetchRange })

test('opening fetches the last record and nothing else', async () => {
  const { fetchRange, asked } = serve(large.sealed)
  const handle = await openLarge(fetchRange)
  assert.equal(handle.size, size)
  assert.deepEqual(asked, [[20 * SEALED, 20 * SEALED + 128]])
})

const ranges: [string, number, number, [number, number][]][] = [
  ['one byte', 3 * RECORD_BYTES + 5, 3 * RECORD_BYTES + 6, [[3 * SEALED, 4 * SEALED]]],
  ['one whole record', 3 * RECORD_BYTES, 4 * RECORD_BYTES, [[3 * SEALED, 4 * SEALED]]],
  ['two bytes over a border', RECORD_BYTES - 1, RECORD_BYTES + 1, [[0, 2 * SEALED]]],
  ['bytes of the last record, which is open already', size - 50, size, []],
  ['the last byte before it', 20 * RECORD_BYTES - 1, 20 * RECORD_BYTES + 1, [[19 * SEALED, 20 * SEALED]]],
  ['nothing', 5, 5, []],
  [
    'ten records in runs of eight',
    2 * RECORD_BYTES + 1,
    12 * RECORD_BYTES - 1,
    [
      [2 * SEALED, 10 * SEALED],
      [10 * SEALED, 12 * SEALED],
    ],
  ],
  [
    'everything',
    0,
    size,
    [
      [0, 8 * SEALED],
      [8 * SEALED, 16 * SEALED],
      [16 * SEALED, 20 * SEALED],
    ],
  ],
]
for (const [what, start, end, expected] of ranges) {
  test(`OBJ-10: reading ${what} hands over those bytes and fetches only the records they lie in`, async () => {
    const { fetchRange, asked } = serve(large.sealed)
    const handle = await openLarge(fetchRange)
    asked.length = 0
    const { bytes, failure } = await drain(handle.read(start, end))
    assert.equal(failure, undefined)
    assert.ok(bytes.equals(large.plaintext.subarray(start, end)))
    assert.deepEqual(asked, expected)
  })
}

test('an object of one record is fetched once', async () => {
  const stored = await store(patterned(1_000))
  const { fetchRange, asked } = serve(stored.sealed)
  const handle = await openObject({ ...stored, sealedLength: stored.sealed.length, fetchRange })
  for (let time = 0; time < 2; time++) assert.ok((await drain(handle.read(0, 1_000))).bytes.equals(stored.plaintext))
  assert.deepEqual(asked, [[0, 1_028]])
})

test('OBJ-10: any range of any object is its bytes, however the fetch cuts them', async () => {
  const place = fc.oneof(
    fc.integer({ min: 0, max: size }),
    fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 3 })).map(([record, off]) => record * RECORD_BYTES + off),
  )
  await fc.assert(
    fc.asyncProperty(place, place, fc.integer({ min: 1_000, max: 3 * SEALED }), async (one, other, chunk) => {
      const [start, end] = [Math.min(one, other), Math.max(one, other)]
      const handle = await openLarge(serve(large.sealed, chunk).fetchRange)
      const { bytes, failure } = await drain(handle.read(start, end))
      assert.equal(failure, undefined)
      assert.ok(bytes.equals(large.plaintext.subarray(start, end)))
    }),
    { numRuns: 20 },
  )
})

test('reads of one handle do not disturb each other', async () => {
  const handle = await openLarge(serve(large.sealed).fetchRange)
  const reads = [
    [0, size],
    [RECORD_BYTES, 3 * RECORD_BYTES],
    [size - 10, size],
  ] as const
  const results = await Promise.all(reads.map(([start, end]) => drain(handle.read(start, end))))
  for (const [at, [start, end]] of reads.entries()) assert.ok(results[at]?.bytes.equals(large.plaintext.subarray(start, end)))
})

test('each chunk owns its buffer: what a consumer writes or moves changes no later read', async () => {
  const handle = await openLarge(serve(large.sealed, 3 * SEALED).fetchRange)
  for (let time = 0; time < 2; time++) {
    let at = 19 * RECORD_BYTES + 7
    for await (const chunk of handle.read(at, size)) {
      assert.equal(chunk.byteLength, chunk.buffer.byteLength)
      assert.ok(Buffer.from(chunk).equals(large.plaintext.subarray(at, at + chunk.length)))
      at += chunk.length
      chunk.fill(0)
      structuredClone(chunk, { transfer: [chunk.buffer] })
    }
    assert.equal(at, size)
  }
})

test('OBJ-10: a range outside the object is refused', async () => {
  const { fetchRange, asked } = serve(large.sealed)
  const handle = await openLarge(fetchRange)
  asked.length = 0
  for (const [start, end] of [
    [-1, 5],
    [6, 5],
    [0, size + 1],
    [0.5, 5],
    [0, NaN],
  ] as const)
    assert.throws(() => handle.read(start, end), { code: 'invalid-range' })
  assert.deepEqual(asked, [])
})

test('nothing is fetched before the consumer asks, and a consumer that waits holds the fetching back', async () => {
  const delivered: number[] = []
  const fetchRange: FetchRange = (start, end) => {
    const source = chunked(large.sealed.slice(start, end), SEALED).getReader()
    return Promise.resolve(
      new ReadableStream<Uint8Array>(
        {
          pull: async controller => {
            const { done, value } = await source.read()
            if (done) return controller.close()
            delivered.push(start)
            controller.enqueue(value)
          },
        },
        { highWaterMark: 0 },
      ),
    )
  }
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve))
  }
  const handle = await openLarge(fetchRange)
  delivered.length = 0
  const reader = handle.read(0, size).getReader()
  await settle()
  assert.equal(delivered.length, 0)
  await reader.read()
  await settle()
  assert.equal(delivered.length, 2)
  await reader.read()
  await settle()
  assert.equal(delivered.length, 3)
  await reader.cancel()
})

test('OBJ-10: the first record is handed over while the next is still on its way', async () => {
  const gate = Promise.withResolvers<void>()
  const fetchRange: FetchRange = (start, end) => {
    const bytes = large.sealed.slice(start, end)
    let at = 0
    return Promise.resolve(
      new ReadableStream({
        pull: async controller => {
          if (at > 0) await gate.promise
          if (at >= bytes.length) return controller.close()
          controller.enqueue(bytes.slice(at, (at += SEALED)))
        },
      }),
    )
  }
  gate.resolve()
  const handle = await openLarge(fetchRange)
  const slow = Promise.withResolvers<void>()
  gate.promise = slow.promise
  const reader = handle.read(0, 3 * RECORD_BYTES).getReader()
  const first = await reader.read()
  assert.ok(Buffer.from(first.value ?? []).equals(large.plaintext.subarray(0, RECORD_BYTES)))
  slow.resolve()
  assert.equal((await reader.read()).value?.length, RECORD_BYTES)
  await reader.cancel()
})

test('the next run is asked for while the last record of the present one arrives', async () => {
  const held = Promise.withResolvers<void>()
  const following = Promise.withResolvers<void>()
  const handle = await openLarge((start, end, signal) => {
    if (start === 8 * SEALED) following.resolve()
    const all = serve(large.sealed).fetchRange(start, end, signal)
    return start === 0 ? all.then(stream => stream.pipeThrough(new TransformStream({ flush: () => held.promise }))) : all
  })
  const reader = handle.read(0, size).getReader()
  for (let record = 0; record < 7; record++) assert.equal((await reader.read()).value?.length, RECORD_BYTES)
  const eighth = reader.read()
  await following.promise
  held.resolve()
  assert.equal((await eighth).value?.length, RECORD_BYTES)
  await reader.cancel()
})

test('cancelling a read aborts its fetches and lets go of their bodies, also when the fetch ignores its signal', async () => {
  const stuck = Promise.withResolvers<AbortSignal>()
  const cancelled = Promise.withResolvers<void>()
  let opened = false
  const handle = await openLarge((start, end, signal) => {
    if (!opened) {
      opened = true
      return serve(large.sealed).fetchRange(start, end, signal)
    }
    stuck.resolve(signal)
    return Promise.resolve(new ReadableStream({ cancel: () => cancelled.resolve() }))
  })
  const reader = handle.read(0, size).getReader()
  const pending = reader.read()
  const signal = await stuck.promise
  assert.equal(signal.aborted, false)
  await reader.cancel()
  assert.equal((await pending).done, true)
  assert.equal(signal.aborted, true)
  await cancelled.promise
})

test('what a fetch fails with is what the opening or the read fails with', async () => {
  const failure = new Error('offline')
  await assert.rejects(
    openLarge(() => Promise.reject(failure)),
    failure,
  )
  let fetched = 0
  const handle = await openLarge((start, end, signal) => (fetched++ < 2 ? serve(large.sealed).fetchRange(start, end, signal) : Promise.reject(failure)))
  const read = await drain(handle.read(0, size))
  assert.equal(read.failure, failure)
  assert.ok(read.bytes.equals(large.plaintext.subarray(0, 8 * RECORD_BYTES)))
})

test('a signal ends the opening, and leaves the handle alone afterwards', async () => {
  const abort = new AbortController()
  const { fetchRange } = serve(large.sealed)
  const all = { ...large, sealedLength: large.sealed.length }
  const handle = await openObject({ ...all, fetchRange, signal: abort.signal })
  const reason = new Error('enough')
  const asked = Promise.withResolvers<void>()
  const hanging = openObject({
    ...all,
    signal: abort.signal,
    fetchRange: (_start, _end, signal) => {
      asked.resolve()
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    },
  })
  await asked.promise
  abort.abort(reason)
  await assert.rejects(hanging, reason)
  await assert.rejects(openObject({ ...all, fetchRange, signal: abort.signal }), reason)
  assert.equal((await drain(handle.read(0, 10))).bytes.length, 10)
})

test('OBJ-9: the wrong key is refused before there is a handle', async () => {
  const opening = openObject({ ...large, key: mintObjectKey(), sealedLength: large.sealed.length, fetchRange: serve(large.sealed).fetchRange })
  await assert.rejects(opening, (error: Error & { code: string }) => {
    assert.equal(error.name, 'SealError')
    assert.equal(error.code, 'integrity')
    assert.equal(error.cause, undefined)
    return true
  })
})
