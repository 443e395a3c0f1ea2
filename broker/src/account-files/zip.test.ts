import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zipOf, zipPath } from './zip.ts'
import type { AppFile } from './files.ts'

const fileOf = (path: string, size: number): AppFile => ({
  row: { name: 'n', meta: 'm', version: 1, epoch: 1, size, updatedAt: 0, changed: 1 },
  entry: { path, contentType: null, size, sealedAt: Date.UTC(2026, 0, 2) },
})
const handleOf = (bytes: Uint8Array<ArrayBuffer>) => ({ size: bytes.length, read: () => new Blob([bytes]).stream() }) as never

test('a path in an archive stays below where it is unpacked', () => {
  for (const [path, expected] of [
    ['notes/today.txt', 'notes/today.txt'],
    ['/etc/passwd', 'etc/passwd'],
    ['../../up', '__/__/up'],
    ['a/./b//c', 'a/b/c'],
    ['C:\\x', 'C_/x'],
    ['a\u0000b\nc', 'a_b_c'],
    ['Grüße/日本', 'Grüße/日本'],
  ] as const)
    assert.equal(zipPath(path), expected)
})

test('an archive holds every file that opened, and tells how far it is', async () => {
  const told: [number, number][] = []
  const contents = new Map([
    ['a.txt', new TextEncoder().encode('hello')],
    ['b/c.bin', new Uint8Array(100_000).fill(7)],
  ])
  const files = [...[...contents].map(([path, bytes]) => fileOf(path, bytes.length)), { ...fileOf('x', 1), entry: null }]
  const stream = zipOf({
    files,
    open: async ({ entry }) => handleOf(contents.get(entry?.path ?? '') ?? new Uint8Array()),
    progress: (bytes, done) => told.push([bytes, done]),
    signal: new AbortController().signal,
  })
  const zip = Buffer.from(await new Response(stream).arrayBuffer())
  assert.equal(zip.subarray(0, 4).toString('latin1'), 'PK\u0003\u0004')
  // The end record names how many entries there are.
  assert.equal(zip.readUInt16LE(zip.length - 12), 2)
  for (const [path, bytes] of contents) {
    assert.ok(zip.includes(path))
    assert.ok(zip.includes(Buffer.from(bytes)))
  }
  assert.deepEqual(told.at(-1), [100_005, 2])
})

test('a file that does not open, or a person who stops, ends the archive', async () => {
  const broken = zipOf({
    files: [fileOf('a', 1)],
    open: () => Promise.reject(new Error('integrity')),
    progress: () => {},
    signal: new AbortController().signal,
  })
  await assert.rejects(new Response(broken).arrayBuffer(), /integrity/)
  const stop = new AbortController()
  stop.abort(new Error('stopped'))
  await assert.rejects(
    new Response(zipOf({ files: [fileOf('a', 1)], open: async () => handleOf(new Uint8Array(1)), progress: () => {}, signal: stop.signal })).arrayBuffer(),
    /stopped/,
  )
})
