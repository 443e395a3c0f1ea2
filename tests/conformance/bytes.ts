import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type Bytes, NotAssembled, WrongLength } from '@deputy/server'

const MiB = 2 ** 20

/** Opens the implementation under test on nothing; `reopen` opens it again on what it holds, as after a restart. */
export type OpenBytes = () => Promise<{ readonly bytes: Bytes; reopen(): Promise<Bytes>; close(): Promise<void> }>

/** What every implementation of the bytes seam must do. */
export function bytesSuite(name: string, open: OpenBytes): void {
  describe(`bytes: ${name}`, () => {
    let opened: Awaited<ReturnType<OpenBytes>>
    let bytes: Bytes
    before(async () => {
      opened = await open()
      bytes = opened.bytes
    })
    after(() => opened.close())

    /** Puts an object in parts of `partBytes`, in the order given or from the first to the last. */
    const put = async (id: string, whole: Buffer, partBytes: number, order?: readonly number[]): Promise<number[]> => {
      const sizes = Array.from({ length: Math.ceil(whole.length / partBytes) }, (_, part) => Math.min(partBytes, whole.length - part * partBytes))
      for (const part of order ?? sizes.keys()) {
        const [offset, size] = [part * partBytes, sizes[part] ?? 0]
        await bytes.putPart(id, { part, offset, size }, pieces(whole.subarray(offset, offset + size), 65_536))
      }
      return sizes
    }
    const store = async (whole: Buffer, partBytes = whole.length): Promise<string> => {
      const id = randomUUID()
      await bytes.assemble(id, await put(id, whole, partBytes))
      return id
    }

    test('parts put in any order make the whole, byte for byte', async () => {
      const whole = randomBytes(3 * MiB + 17)
      const id = randomUUID()
      await bytes.assemble(id, await put(id, whole, MiB, [3, 0, 2, 1]))
      assert.deepEqual(await read(bytes, id, 0, whole.length), whole)
    })

    test('parts put at once make the whole', async () => {
      const whole = randomBytes(4 * MiB)
      const id = randomUUID()
      await Promise.all([0, 1, 2, 3].map(part => put(id, whole, MiB, [part])))
      await bytes.assemble(id, [MiB, MiB, MiB, MiB])
      assert.deepEqual(await read(bytes, id, 0, whole.length), whole)
    })

    test('pieces of any size make a part, from single bytes to several MiB', async () => {
      for (const [size, piece] of [
        [1, 1],
        [28, 3],
        [3000, 1],
        [5 * MiB + 1, 3 * MiB],
        [2 * MiB, MiB],
        [2 * MiB + 5, MiB - 1],
      ] as const) {
        const whole = randomBytes(size)
        const id = randomUUID()
        await bytes.putPart(id, { part: 0, offset: 0, size }, pieces(whole, piece))
        await bytes.assemble(id, [size])
        assert.deepEqual(await read(bytes, id, 0, size), whole, `${size} in pieces of ${piece}`)
      }
    })

    test('a part put again counts once', async () => {
      const whole = randomBytes(2 * MiB)
      const id = randomUUID()
      await put(id, whole, MiB, [0, 1, 0, 1, 1])
      await bytes.assemble(id, [MiB, MiB])
      assert.deepEqual(await read(bytes, id, 0, whole.length), whole)
    })

    test('a source that is short, long or breaks off is refused, and the part can be put again', async () => {
      const whole = randomBytes(2 * MiB)
      const id = randomUUID()
      const place = { part: 0, offset: 0, size: 2 * MiB }
      await assert.rejects(bytes.putPart(id, place, pieces(whole.subarray(1), 65_536)), WrongLength)
      await assert.rejects(bytes.putPart(id, place, pieces(Buffer.concat([whole, Buffer.alloc(1)]), 65_536)), WrongLength)
      await assert.rejects(bytes.putPart(id, place, pieces(Buffer.alloc(0), 65_536)), WrongLength)
      await assert.rejects(bytes.putPart(id, place, broken(whole.subarray(0, MiB + 5))), /the sender left/)
      assert.equal(await bytes.open(id, 0, 1), undefined)
      await put(id, whole, whole.length)
      await bytes.assemble(id, [whole.length])
      assert.deepEqual(await read(bytes, id, 0, whole.length), whole)
    })

    test('an object that comes at once is there whole, or not at all', async () => {
      for (const size of [0, 1, MiB, 2 * MiB + 5]) {
        const whole = randomBytes(size)
        const id = randomUUID()
        await bytes.put(id, size, pieces(whole, 65_536))
        assert.deepEqual(await read(await opened.reopen(), id, 0, size), whole)
        await assert.rejects(bytes.put(id, size, pieces(whole, 65_536)))
        assert.deepEqual(await read(bytes, id, 0, size), whole)
      }
      const [id, whole] = [randomUUID(), randomBytes(MiB)]
      await assert.rejects(bytes.put(id, MiB + 1, pieces(whole, 65_536)), WrongLength)
      await assert.rejects(bytes.put(id, MiB - 1, pieces(whole, 65_536)), WrongLength)
      await assert.rejects(bytes.put(id, MiB, broken(whole.subarray(0, 70_000))), /the sender left/)
      assert.equal(await bytes.open(id, 0, 0), undefined)
      assert.deepEqual(
        (await bytes.list(id.slice(0, 2))).filter(entry => entry.id === id),
        [],
      )
      await bytes.put(id, MiB, pieces(whole, MiB))
      assert.deepEqual(await read(bytes, id, 0, MiB), whole)
    })

    test('nothing can be opened before it is assembled', async () => {
      const id = randomUUID()
      await put(id, randomBytes(100), 100)
      assert.equal(await bytes.open(id, 0, 1), undefined)
      assert.equal(await bytes.open(randomUUID(), 0, 0), undefined)
    })

    test('assembling again is allowed; of another size, or of nothing, it is refused', async () => {
      const id = await store(randomBytes(300), 100)
      await bytes.assemble(id, [100, 100, 100])
      await assert.rejects(bytes.assemble(id, [100, 100]), NotAssembled)
      await assert.rejects(bytes.assemble(randomUUID(), [100]), NotAssembled)
      const short = randomUUID()
      await put(short, randomBytes(100), 100)
      await assert.rejects(bytes.assemble(short, [100, 100]), NotAssembled)
    })

    test('any range is read exactly, and none beyond the end', async () => {
      const whole = randomBytes(2 * MiB + 300)
      const id = await store(whole)
      for (const [start, end] of [
        [0, 1],
        [0, whole.length],
        [whole.length - 1, whole.length],
        [MiB - 1, MiB + 1],
        [5, 5],
        [MiB, 2 * MiB + 300],
      ] as const)
        assert.deepEqual(await read(bytes, id, start, end), whole.subarray(start, end), `${start} to ${end}`)
      assert.equal(await bytes.open(id, 0, whole.length + 1), undefined)
      assert.equal(await bytes.open(id, -1, 5), undefined)
      assert.equal(await bytes.open(id, 6, 5), undefined)
    })

    test('chunks have at most 1 MiB', async () => {
      const id = await store(randomBytes(3 * MiB + 1))
      const range = await bytes.open(id, 0, 3 * MiB + 1)
      for await (const chunk of range?.chunks ?? []) assert.ok(chunk.byteLength > 0 && chunk.byteLength <= MiB)
    })

    test('a range may be given back unread or half read', async () => {
      const id = await store(randomBytes(3 * MiB))
      const unread = await bytes.open(id, 0, 10)
      await unread?.close()
      await unread?.close()
      const half = await bytes.open(id, 0, 3 * MiB)
      for await (const chunk of half?.chunks ?? []) if (chunk.byteLength > 0) break
      await half?.close()
      assert.equal((await read(bytes, id, 0, 10)).length, 10)
    })

    test('removing ends it at once, twice does no harm, and a range already opened may be read on', async () => {
      const whole = randomBytes(2 * MiB)
      const id = await store(whole)
      const range = await bytes.open(id, 0, whole.length)
      await bytes.remove(id)
      await bytes.remove(id)
      assert.equal(await bytes.open(id, 0, 1), undefined)
      assert.deepEqual(await collect(range?.chunks), whole)
      const unfinished = randomUUID()
      await put(unfinished, randomBytes(10), 10)
      await bytes.remove(unfinished)
      await assert.rejects(bytes.assemble(unfinished, [10]), NotAssembled)
    })

    test('removing what is unfinished keeps what is whole', async () => {
      const whole = randomBytes(10)
      const id = await store(whole)
      await bytes.remove(id, 'unfinished')
      assert.deepEqual(await read(bytes, id, 0, 10), whole)
    })

    test('all that is there is listed by the first two digits, whole or unfinished', async () => {
      const whole = await store(randomBytes(10))
      const unfinished = randomUUID()
      await put(unfinished, randomBytes(10), 10)
      const listed = async (id: string) => (await bytes.list(id.slice(0, 2))).filter(entry => entry.id === id)
      assert.deepEqual(await listed(whole), [{ id: whole, state: 'whole' }])
      assert.deepEqual(await listed(unfinished), [{ id: unfinished, state: 'unfinished' }])
      await bytes.remove(whole)
      await bytes.remove(unfinished)
      assert.deepEqual([...(await listed(whole)), ...(await listed(unfinished))], [])
    })

    test('what was kept is there when it is opened again', async () => {
      const whole = randomBytes(MiB)
      const ready = await store(whole)
      const unfinished = randomUUID()
      await put(unfinished, whole, MiB / 2)
      const again = await opened.reopen()
      assert.deepEqual(await read(again, ready, 0, MiB), whole)
      await again.assemble(unfinished, [MiB / 2, MiB / 2])
      assert.deepEqual(await read(again, unfinished, 0, MiB), whole)
    })

    test('no id but a lower-case uuid names anything', async () => {
      const hostile = [
        '',
        '.',
        '..',
        '../../etc/passwd',
        'A1B2C3D4-0000-4000-8000-000000000000',
        `${randomUUID()}/..`,
        `${randomUUID()}\0`,
        `${randomUUID()}\n`,
        ` ${randomUUID()}`,
        'x'.repeat(36),
      ]
      for (const id of hostile) {
        await assert.rejects(bytes.putPart(id, { part: 0, offset: 0, size: 1 }, pieces(Buffer.alloc(1), 1)), TypeError, id)
        await assert.rejects(bytes.put(id, 1, pieces(Buffer.alloc(1), 1)), TypeError, id)
        await assert.rejects(bytes.assemble(id, [1]), TypeError, id)
        await assert.rejects(bytes.open(id, 0, 1), TypeError, id)
        await assert.rejects(bytes.remove(id), TypeError, id)
      }
      for (const prefix of ['', '.', '..', 'a', 'abc', 'AB', '/a', 'a\n']) await assert.rejects(bytes.list(prefix), TypeError, prefix)
    })
  })
}

async function* pieces(whole: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size)
}

async function* broken(whole: Buffer): AsyncGenerator<Uint8Array> {
  yield* pieces(whole, 65_536)
  throw new Error('the sender left')
}

async function collect(chunks: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  const copies: Buffer[] = []
  // Copied at once: a chunk is valid until the next one is asked for.
  for await (const chunk of chunks ?? []) copies.push(Buffer.from(chunk))
  return Buffer.concat(copies)
}

async function read(bytes: Bytes, id: string, start: number, end: number): Promise<Buffer> {
  const range = await bytes.open(id, start, end)
  assert.ok(range !== undefined, `${start} to ${end} can be opened`)
  return collect(range.chunks)
}
