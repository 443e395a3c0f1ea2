import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openFile, plainFileLength, RECORD_BYTES, sealedFileLength, sealFile, type FetchRange } from './index.ts'
import { appKeys, enrolled } from './keys.test-support.ts'
import { concat, type Bytes } from './bytes.ts'
import { chunked, drain, patterned, serve } from './objects.test-support.ts'

const keys = await appKeys(await enrolled())
const told = { path: 'p', contentType: null, sealedAt: 5 }
const HEADER = 29
const border = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: -2, max: 2 })).map(([records, off]) => Math.max(0, records * RECORD_BYTES + off))

async function inParts(plaintext: Bytes, partBytes: number, source: Blob | ReadableStream<Uint8Array> = new Blob([plaintext])): Promise<Bytes[]> {
  const sealer = await sealFile({ keys, ...told, size: plaintext.length })
  const parts: Bytes[] = []
  for await (const { part, bytes, release } of sealer.parts(source, { partBytes })) {
    assert.equal(part, parts.length)
    parts.push(bytes.slice())
    release()
  }
  return parts
}
const opening = (sealed: Bytes, size: number, fetchRange: FetchRange = serve(sealed).fetchRange) =>
  openFile({ keys, ...told, size, epoch: 1, sealedLength: sealed.length, fetchRange })

test('any file at the borders of its records, cut into any parts, opens as it was', async () => {
  await fc.assert(
    fc.asyncProperty(border, fc.integer({ min: 300_000, max: 2_500_000 }), async (size, partBytes) => {
      const plaintext = patterned(size)
      const parts = await inParts(plaintext, partBytes)
      assert.ok(parts.slice(0, -1).every(part => part.length === partBytes))
      const sealed = concat(...parts)
      assert.equal(sealed.length, sealedFileLength(size))
      assert.equal(plainFileLength(sealed.length), size)
      const file = await opening(sealed, size)
      assert.ok(Buffer.from(await file.all()).equals(plaintext))
    }),
    { numRuns: 25 },
  )
})

test('small files in parts as small as a byte', async () => {
  for (const size of [0, 1, 40])
    for (const partBytes of [1, 28, 29, 30, 1000]) {
      const sealed = concat(...(await inParts(patterned(size), partBytes)))
      assert.deepEqual(await (await opening(sealed, size)).all(), patterned(size))
    }
})

test('any range is its bytes, and only the records it lies in are fetched', async () => {
  const size = 6 * RECORD_BYTES + 100
  const plaintext = patterned(size)
  const sealed = concat(...(await inParts(plaintext, 1_000_000)))
  const file = await opening(sealed, size)
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: size }), fc.integer({ min: 0, max: size }), async (one, other) => {
      const [start, end] = [Math.min(one, other), Math.max(one, other)]
      const { bytes, failure } = await drain(file.read(start, end))
      assert.equal(failure, undefined)
      assert.ok(bytes.equals(plaintext.subarray(start, end)))
    }),
    { numRuns: 20 },
  )
  const { fetchRange, asked } = serve(sealed)
  const again = await opening(sealed, size, fetchRange)
  asked.length = 0
  await drain(again.read(2 * RECORD_BYTES + 5, 2 * RECORD_BYTES + 6))
  assert.deepEqual(asked, [[HEADER + 2 * (RECORD_BYTES + 28), HEADER + 3 * (RECORD_BYTES + 28)]])
  assert.throws(() => file.read(0, size + 1), { code: 'invalid-range' })
})

test('a source that delivers less or more than its size ends before the last part, and a sealer seals once', async () => {
  const plaintext = patterned(2 * RECORD_BYTES)
  for (const length of [plaintext.length - 1, plaintext.length + 1]) {
    await assert.rejects(inParts(plaintext, 8 * 1_048_576, chunked(patterned(length), 70_000)), { code: 'short-stream' })
  }
  const sealer = await sealFile({ keys, ...told, size: 3 })
  await assert.rejects(sealer.all(new Uint8Array(2)), { code: 'short-stream' })
  await sealer.all(new Uint8Array(3))
  await assert.rejects(sealer.all(new Uint8Array(3)), { code: 'sealed-twice' })
  assert.throws(() => sealer.parts(new Blob([new Uint8Array(3)]), { partBytes: 100 }), { code: 'sealed-twice' })
})

test('a length no file has is refused before anything is fetched', async () => {
  const fetchRange = (): Promise<never> => assert.fail('nothing may be fetched')
  for (const sealedLength of [0, 28, 56, sealedFileLength(5) - 1, sealedFileLength(RECORD_BYTES) + 28, Number.NaN, 2 ** 53]) {
    await assert.rejects(openFile({ keys, ...told, size: 5, epoch: 1, sealedLength, fetchRange }), { code: 'integrity' }, String(sealedLength))
  }
})
