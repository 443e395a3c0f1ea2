// Run in a process of its own: seals a generated stream of argv[2] bytes and opens it as it comes, and prints how much more memory that took.
import { mintObjectId, mintObjectKey, openObject, RECORD_BYTES, type FetchRange } from './index.ts'
import { sealObjectWith } from './object-sealer.ts'

const MIB = 1_048_576
const CHUNK = 65_536
const prefix = crypto.getRandomValues(new Uint8Array(8))

// Record i is full of bytes of its own index. Source and consumer make no garbage of their own, so that what is measured is the package's.
const chunk = new Uint8Array(RECORD_BYTES)
const record = (index: number, length: number): Uint8Array<ArrayBuffer> => chunk.fill(index * 7 + 1).subarray(0, length)

function generated(size: number): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream(
    {
      pull: controller => {
        controller.enqueue(record(at / RECORD_BYTES, Math.min(RECORD_BYTES, size - at)))
        at += RECORD_BYTES
        if (at >= size) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

const memory = (): { rss: number; buffers: number } => {
  const { rss, arrayBuffers } = process.memoryUsage()
  return { rss, buffers: arrayBuffers }
}

async function sealAndOpen(size: number, sample: () => void): Promise<number> {
  const object = { key: mintObjectKey(), id: mintObjectId(), size }
  const sealer = await sealObjectWith(object, prefix)
  const last = sealer.records - 1
  const ending = await (await sealObjectWith(object, prefix)).seal(last, record(last, size - last * RECORD_BYTES))
  // The opener asks for its runs in order, and a run is a part: what is sealed is opened at once and kept nowhere.
  const parts = sealer.parts(generated(size), { recordsPerPart: 8 })
  let sealedStart = 0
  const fetchRange: FetchRange = async (start, end) => {
    if (end === sealer.sealedLength && end - start === ending.length) return new Blob([ending]).stream()
    if (start !== sealedStart) throw new Error(`asked for ${start}, sealed up to ${sealedStart}`)
    const { value } = await parts.next()
    if (value === undefined) throw new Error('no part left')
    sealedStart += value.bytes.length
    let at = 0
    return new ReadableStream(
      {
        pull: controller => {
          if (at < end - start) return controller.enqueue(value.bytes.subarray(at, Math.min((at += CHUNK), end - start)))
          value.release()
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
  }

  const handle = await openObject({ ...object, sealedLength: sealer.sealedLength, fetchRange })
  let read = 0
  for await (const chunk of handle.read(0, size)) {
    const expected = ((read / RECORD_BYTES) * 7 + 1) & 255
    if (chunk[0] !== expected || chunk.at(-1) !== expected) throw new Error(`wrong bytes at ${read}`)
    read += chunk.length
    chunk.buffer.transfer(0)
    sample()
  }
  return read
}

let peak = memory()
const sample = (): void => {
  const now = memory()
  peak = { rss: Math.max(peak.rss, now.rss), buffers: Math.max(peak.buffers, now.buffers) }
}

// Code, thread pool and the first buffers are there before the measurement.
await sealAndOpen(4 * RECORD_BYTES, () => undefined)
const before = memory()
peak = before
const started = performance.now()
const read = await sealAndOpen(Number(process.argv[2]), sample)
const seconds = (performance.now() - started) / 1000
process.stdout.write(JSON.stringify({ read, seconds, rss: (peak.rss - before.rss) / MIB, buffers: (peak.buffers - before.buffers) / MIB }))
