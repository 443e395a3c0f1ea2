import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileName, openEntries, openEntry, openFile, openFileBytes, RECORD_BYTES, sealEntry, sealFile, type AppKeys, type FileEntry } from './index.ts'
import { appKeys, enrolled, rotated } from './keys.test-support.ts'
import { drain, patterned, recordsOf, serve } from './objects.test-support.ts'
import { concat, type Bytes } from './bytes.ts'

const integrity = { name: 'SealError', code: 'integrity' }
const HEADER = 29
const first = await enrolled()
const later = await rotated(first)
const [old, keys] = await Promise.all([appKeys(first), appKeys(later)])
const size = 3 * RECORD_BYTES - 5
const entry: FileEntry = { path: 'notes/a.txt', contentType: 'text/plain', size, sealedAt: 1_790_000_000_000 }
const plaintext = patterned(size)
const sealing = async (by: AppKeys, told: FileEntry): Promise<Bytes> => (await sealFile({ keys: by, ...told })).all(patterned(told.size))
const sealed = await sealing(keys, entry)

/** Opens and reads everything, record by record and from memory, which must come to the same. */
const reading = async (bytes: Bytes, change: Partial<Parameters<typeof openFileBytes>[0]> = {}): Promise<Bytes> => {
  const file = { keys, ...entry, epoch: 2, ...change }
  const outcomes = await Promise.allSettled([
    openFile({ ...file, sealedLength: bytes.length, fetchRange: serve(bytes).fetchRange }).then(handle => handle.all()),
    openFileBytes({ ...file, sealed: bytes }).then(whole => whole.bytes),
  ])
  const [streamed, inMemory] = outcomes
  assert.deepEqual(inMemory, streamed)
  if (streamed.status === 'rejected') throw streamed.reason
  return streamed.value
}
const withRecords = (change: (records: Bytes[]) => Bytes[]): Bytes => concat(sealed.slice(0, HEADER), ...change(recordsOf(sealed.slice(HEADER))))
const flip = (bytes: Bytes, at: number): Bytes => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))

test('the file opens as it was sealed', async () => {
  assert.deepEqual(await reading(sealed), plaintext)
})

test('FS-8: a bit changed anywhere is refused: version, epoch, time, salt, nonce, ciphertext, tag', async () => {
  const places = [0, 1, 4, 5, 12, 13, 28, HEADER, HEADER + 7, HEADER + 11, HEADER + 12, HEADER + RECORD_BYTES, sealed.length - 17, sealed.length - 1]
  for (const at of places) await assert.rejects(reading(flip(sealed, at)), integrity, `byte ${at}`)
})

test('FS-8: a header with another time or epoch does not open, whatever the entry says', async () => {
  const header = new DataView(sealed.slice(0, HEADER).buffer)
  header.setBigUint64(5, BigInt(entry.sealedAt + 1))
  const newer = concat(new Uint8Array(header.buffer), sealed.slice(HEADER))
  await assert.rejects(reading(newer, { sealedAt: entry.sealedAt + 1 }), integrity)
  header.setBigUint64(5, BigInt(entry.sealedAt))
  header.setUint32(1, 1)
  await assert.rejects(reading(concat(new Uint8Array(header.buffer), sealed.slice(HEADER)), { epoch: 1 }), integrity)
  header.setBigUint64(5, 2n ** 63n)
  await assert.rejects(reading(concat(new Uint8Array(header.buffer), sealed.slice(HEADER)), { epoch: 1 }), integrity)
})

test('two files of one app exchanged, a path moved, a type altered: refused', async () => {
  const other = await sealing(keys, { ...entry, path: 'notes/b.txt' })
  await assert.rejects(reading(other), integrity)
  await assert.rejects(reading(sealed, { path: 'notes/b.txt' }), integrity)
  for (const contentType of [null, '', 'text/html']) await assert.rejects(reading(sealed, { contentType }), integrity, String(contentType))
  const typeless = await sealing(keys, { ...entry, contentType: null })
  await assert.rejects(reading(typeless, { contentType: '' }), integrity)
})

test('a file put into another account, another app or another epoch is refused', async () => {
  const [account, app] = await Promise.all([appKeys(await rotated(await enrolled('account-two'))), appKeys(later, 'web:https://other.example')])
  for (const stranger of [account, app, { ...keys, account: 'account-two' }, { ...keys, app: 'web:https://other.example' }]) {
    await assert.rejects(reading(sealed, { keys: stranger }), integrity)
  }
  await assert.rejects(reading(sealed, { epoch: 1 }), integrity)
  await assert.rejects(reading(sealed, { epoch: 3 }), integrity)
  await assert.rejects(reading(sealed, { keys: old }), { code: 'stale-epoch' })
})

test('another state of the same path is refused beside an entry that is not its own', async () => {
  const older = await sealing(keys, { ...entry, sealedAt: entry.sealedAt - 1 })
  await assert.rejects(reading(older), integrity)
  const shorter = await sealing(keys, { ...entry, size: size - 1 })
  await assert.rejects(reading(shorter), integrity)
})

test('records cut, dropped, doubled, exchanged or appended are refused', async () => {
  const cases: Record<string, Bytes> = {
    'cut in the last record': sealed.slice(0, -1),
    'last record dropped': withRecords(records => records.slice(0, -1)),
    'middle record dropped': withRecords(([one, , three]) => [one, three] as Bytes[]),
    'first doubled': withRecords(([one, two, three]) => [one, one, two, three] as Bytes[]),
    exchanged: withRecords(([one, two, three]) => [two, one, three] as Bytes[]),
    'one put twice': withRecords(([one, , three]) => [one, one, three] as Bytes[]),
    appended: concat(sealed, new Uint8Array(10)),
    'header only': sealed.slice(0, HEADER),
    'cut in the header': sealed.slice(0, HEADER - 1),
    empty: new Uint8Array(0),
  }
  for (const [what, bytes] of Object.entries(cases)) {
    await assert.rejects(reading(bytes), integrity, what)
    // What lies beyond the length is never asked for.
    const told = { keys, ...entry, epoch: 2, sealedLength: sealed.length, fetchRange: serve(bytes).fetchRange }
    if (bytes.length < sealed.length)
      await assert.rejects(
        openFile(told).then(handle => handle.all()),
        integrity,
        `${what}, length as told`,
      )
  }
})

test('records of two sealings of one file do not mix', async () => {
  const again = await sealing(keys, entry)
  const mixed = withRecords(([one, , three]) => [one, recordsOf(again.slice(HEADER))[1], three] as Bytes[])
  await assert.rejects(reading(mixed), integrity)
  await assert.rejects(reading(concat(again.slice(0, HEADER), sealed.slice(HEADER))), integrity)
})

test('what was handed over before a damaged record is a true beginning', async () => {
  const damaged = flip(sealed, HEADER + RECORD_BYTES + 28 + 500)
  const file = await openFile({ keys, ...entry, epoch: 2, fetchRange: serve(damaged).fetchRange })
  const { bytes, failure } = await drain(file.read(0, size))
  assert.equal((failure as { code: string }).code, 'integrity')
  assert.ok(bytes.equals(plaintext.subarray(0, RECORD_BYTES)))
})

test('an entry is refused when a bit of it, its name or its epoch is another', async () => {
  const [name, other, meta] = await Promise.all([fileName(keys, entry.path), fileName(keys, 'notes/b.txt'), sealEntry(keys, entry)])
  assert.deepEqual(await openEntry(keys, { name, epoch: 2, meta }), entry)
  await assert.rejects(openEntry(keys, { name: other, epoch: 2, meta }), integrity)
  await assert.rejects(openEntry(keys, { name, epoch: 1, meta }), integrity)
  await assert.rejects(openEntry(keys, { name, epoch: 3, meta }), { code: 'stale-epoch' })
  await assert.rejects(openEntry(old, { name, epoch: 2, meta }), { code: 'stale-epoch' })
  for (const epoch of [0, -1, 1.5, Number.NaN]) await assert.rejects(openEntry(keys, { name, epoch, meta }), integrity, String(epoch))
  for (let at = 0; at < meta.length; at += 7) {
    await assert.rejects(
      openEntry(keys, { name, epoch: 2, meta: meta.slice(0, at) + (meta[at] === 'A' ? 'B' : 'A') + meta.slice(at + 1) }),
      integrity,
      `character ${at}`,
    )
  }
  for (const broken of ['', 'A', meta.slice(0, 20), `${meta}AAAA`, 'ä'.repeat(40)])
    await assert.rejects(openEntry(keys, { name, epoch: 2, meta: broken }), integrity)
})

test('many entries are opened as each of them is, and one that is another’s refuses them all', async () => {
  const paths = Array.from({ length: 50 }, (_, index) => `notes/${'é'.repeat(index)}${index}.txt`)
  const stored = await Promise.all(
    paths.map(async (path, index) => {
      const by = index % 3 === 0 ? old : keys
      return { name: await fileName(keys, path), epoch: by.epoch, meta: await sealEntry(by, { ...entry, path, size: index }) }
    }),
  )
  assert.deepEqual(
    await openEntries(keys, stored),
    paths.map((path, size) => ({ ...entry, path, size })),
  )
  const [first, ...rest] = stored as [(typeof stored)[0], ...typeof stored]
  for (const name of [rest[0]?.name ?? '', 'short', 'ä'.repeat(43), `${first.name}x`])
    await assert.rejects(openEntries(keys, [...rest, { ...first, name }]), integrity)
  await assert.rejects(openEntries(keys, [...rest, { ...first, epoch: 3 }]), { code: 'stale-epoch' })
  assert.deepEqual(await openEntries(keys, []), [])
})

test('an entry tells nothing but its length in steps of 64 bytes', async () => {
  const lengths = await Promise.all([1, 5, 20, 30].map(async count => (await sealEntry(keys, { ...entry, path: 'x'.repeat(count), contentType: null })).length))
  assert.equal(new Set(lengths).size, 1)
  const all = await Promise.all(Array.from({ length: 20 }, () => sealEntry(keys, entry)))
  assert.equal(new Set(all).size, 20)
})

test('what no file can have is not sealed', async () => {
  const bad: Partial<FileEntry>[] = [
    { path: '' },
    { path: 'x'.repeat(1025) },
    { path: '\ud800' },
    { contentType: '\udfff' },
    { contentType: 'x'.repeat(1021) },
    { size: -1 },
    { size: 0.5 },
    { sealedAt: -1 },
    { sealedAt: Number.NaN },
  ]
  for (const change of bad) await assert.rejects(sealEntry(keys, { ...entry, ...change }), { code: 'invalid-entry' }, JSON.stringify(change))
  await assert.rejects(sealFile({ keys, ...entry, sealedAt: -1 }), { code: 'invalid-entry' })
  await assert.rejects(sealFile({ keys, ...entry, size: -1 }), { code: 'invalid-size' })
})
