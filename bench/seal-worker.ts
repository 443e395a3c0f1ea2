import { mintObjectId, mintObjectKey, OVERHEAD, openObject, RECORD_BYTES, sealObject } from '@deputy/seal'

/** Milliseconds each way took in one round. */
export interface SealTimes {
  rawSeal: number
  rawOpen: number
  sealBlob: number
  sealStream: number
  open: number
}

const CHUNK = 262_144
const SEALED = RECORD_BYTES + OVERHEAD

async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

// Chunks of the length a network or the channel delivers, out of one run of bytes.
function chunks(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream(
    {
      pull: controller => {
        if (at < bytes.length) controller.enqueue(bytes.subarray(at, (at += CHUNK)))
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

async function rawSeal(key: CryptoKey, plaintext: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer[]> {
  const sealed: ArrayBuffer[] = []
  for (let at = 0; at < plaintext.length; at += RECORD_BYTES) {
    const parameters = { name: 'AES-GCM', iv: crypto.getRandomValues(new Uint8Array(12)), additionalData: new Uint8Array(44) }
    sealed[0] = await crypto.subtle.encrypt(parameters, key, plaintext.subarray(at, at + RECORD_BYTES))
  }
  return sealed
}

async function rawOpen(key: CryptoKey, record: ArrayBuffer, iv: Uint8Array<ArrayBuffer>, count: number): Promise<void> {
  for (let opened = 0; opened < count; opened++) await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData: new Uint8Array(44) }, key, record)
}

async function round(plaintext: Uint8Array<ArrayBuffer>, order: number): Promise<SealTimes> {
  const size = plaintext.length
  const rawKey = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const rawRecord = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: new Uint8Array(44) }, rawKey, plaintext.subarray(0, RECORD_BYTES))

  const blob = new Blob([plaintext])
  const object = { key: mintObjectKey(), id: mintObjectId(), size }
  const sealed = new Uint8Array(size + (size / RECORD_BYTES) * OVERHEAD)
  const kept = await sealObject(object)
  for await (const { part, bytes } of kept.parts(chunks(plaintext))) sealed.set(bytes, part * 8 * SEALED)
  const handle = await openObject({
    ...object,
    sealedLength: sealed.length,
    fetchRange: (start, end) => Promise.resolve(chunks(sealed.subarray(start, end))),
  })

  const seal = async (source: Blob | ReadableStream<Uint8Array>): Promise<number> => {
    const sealer = await sealObject({ ...object, id: mintObjectId() })
    return await time(async () => {
      for await (const { release } of sealer.parts(source)) release()
    })
  }
  const ways: [keyof SealTimes, () => Promise<number>][] = [
    ['rawSeal', () => time(() => rawSeal(rawKey, plaintext))],
    ['sealBlob', () => seal(blob)],
    ['sealStream', () => seal(chunks(plaintext))],
    ['rawOpen', () => time(() => rawOpen(rawKey, rawRecord, iv, size / RECORD_BYTES))],
    [
      'open',
      () =>
        time(async () => {
          let read = 0
          for await (const chunk of handle.read(0, size)) read += chunk.length
          if (read !== size) throw new Error(`read ${read} of ${size}`)
        }),
    ],
  ]
  // Every other round goes the other way round, so that none always runs on the other's garbage.
  const times = { rawSeal: 0, rawOpen: 0, sealBlob: 0, sealStream: 0, open: 0 }
  for (const [name, run] of order % 2 === 0 ? ways : ways.toReversed()) times[name] = await run()
  return times
}

async function rounds(mebibytes: number, count: number): Promise<SealTimes[]> {
  const plaintext = new Uint8Array(mebibytes * RECORD_BYTES)
  for (let at = 0; at < plaintext.length; at += 65_536) crypto.getRandomValues(plaintext.subarray(at, at + 65_536))
  await round(plaintext.subarray(0, 8 * RECORD_BYTES), 0)
  const times: SealTimes[] = []
  for (let order = 0; order < count; order++) times.push(await round(plaintext, order))
  return times
}

addEventListener('message', (event: MessageEvent<{ mebibytes: number; rounds: number }>) => {
  // Told to the page as the worker's error, which a rejected promise would not be.
  rounds(event.data.mebibytes, event.data.rounds).then(times => postMessage(times), reportError)
})
