import assert from 'node:assert/strict'
import test from 'node:test'
import { mintObjectKey, sealedLength } from '@deputy/seal'
import { meaning, type SendPart } from './send-part.ts'
import { upload } from './upload.ts'

const mib = 2 ** 20
const order = (size: number) => {
  const content = { kind: 'object', id: crypto.randomUUID(), key: mintObjectKey(), recordsPerPart: 2 } as const
  return { parts: `http://api.localhost/v1/objects/${content.id}/parts`, size, content }
}
const pauses = [0, 0]
const calm = { token: async () => 't', signal: new AbortController().signal, onProgress: () => {}, pauses }
const landing: SendPart = async (_url, bytes, _token, { onSent }) => {
  onSent(bytes.length)
  return 'landed'
}

test('OBJ-4: progress counts bytes of the file itself, never falls, and ends at its size', async () => {
  for (const size of [0, 1, mib, 5 * mib + 3]) {
    const told: number[] = []
    const why = await upload(order(size), { ...calm, source: new Blob([new Uint8Array(size)]), send: landing, onProgress: loaded => told.push(loaded) })
    assert.equal(why, null)
    assert.equal(told.at(-1), size)
    assert.deepEqual(
      told,
      told.toSorted((a, b) => a - b),
    )
    assert.ok(told.slice(0, -1).every(loaded => loaded < size))
  }
})

test('every part is sent whole under its number, and together they are the sealed object', async () => {
  const size = 5 * mib + 3
  const parts = new Map<string, number>()
  const send: SendPart = async (url, bytes, ...rest) => {
    parts.set(url.slice(url.lastIndexOf('/') + 1), bytes.length)
    return landing(url, bytes, ...rest)
  }
  await upload(order(size), { ...calm, source: new Blob([new Uint8Array(size)]), send })
  assert.deepEqual([...parts.keys()].toSorted(), ['0', '1', '2'])
  assert.equal(
    [...parts.values()].reduce((sum, length) => sum + length, 0),
    sealedLength(size),
  )
})

test('a part that fails is sent again with the very same bytes, and the upload fails only after the retries', async () => {
  const seen: string[] = []
  const failing: SendPart = async (_url, bytes) => {
    seen.push(Buffer.from(bytes).toString('hex'))
    return 'again'
  }
  assert.equal(await upload(order(10), { ...calm, source: new Blob([new Uint8Array(10)]), send: failing }), 'unavailable')
  assert.equal(seen.length, pauses.length + 1)
  assert.equal(new Set(seen).size, 1)
})

test('a renewed token is taken up; a token refused twice ends the upload', async () => {
  const tokens = ['old', 'new']
  const used: string[] = []
  const choosy: SendPart = async (_url, _bytes, token) => {
    used.push(token)
    return token === 'new' ? 'landed' : 'unauthorized'
  }
  const source = new Blob([new Uint8Array(10)])
  assert.equal(await upload(order(10), { ...calm, source, send: choosy, token: async () => tokens.shift() ?? 'new' }), null)
  assert.deepEqual(used, ['old', 'new'])
  assert.equal(await upload(order(10), { ...calm, source, send: choosy, token: async () => 'old' }), 'unauthorized')
  assert.equal(await upload(order(10), { ...calm, source, send: choosy, token: async () => null }), 'unauthorized')
})

test('OBJ-6: a stream that delivers less, more, or breaks is a short stream', async () => {
  const streamOf = (...lengths: number[]): ReadableStream<Uint8Array> => new Blob(lengths.map(length => new Uint8Array(length))).stream()
  const ending = async (size: number, source: ReadableStream<Uint8Array>) => upload(order(size), { ...calm, source, send: landing })
  assert.equal(await ending(3 * mib, streamOf(mib, 2 * mib)), null)
  assert.equal(await ending(3 * mib, streamOf(mib, mib)), 'short-stream')
  assert.equal(await ending(3 * mib, streamOf(3 * mib, 1)), 'short-stream')
  const broken = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error('disk')) })
  assert.equal(await ending(3, broken), 'short-stream')
})

test('a signal stops the upload and what is on its way', async () => {
  const stop = new AbortController()
  const started = Promise.withResolvers<void>()
  const hanging: SendPart = (_url, _bytes, _token, { signal }) =>
    new Promise(resolve => {
      started.resolve()
      signal.addEventListener('abort', () => resolve('again'))
    })
  const ended = upload(order(10 * mib), { ...calm, source: new Blob([new Uint8Array(10 * mib)]), send: hanging, signal: stop.signal })
  await started.promise
  stop.abort()
  assert.notEqual(await ended, null)
})

test('what a status means: passing troubles are worth another try', () => {
  assert.deepEqual([200, 204].map(meaning), ['landed', 'landed'])
  assert.deepEqual([0, 408, 429, 500, 502, 503].map(meaning), Array(6).fill('again'))
  assert.equal(meaning(401), 'unauthorized')
  assert.deepEqual([400, 403, 404, 409, 413].map(meaning), Array(5).fill('gone'))
})
