import { mintObjectId, mintObjectKey, openObject, RECORD_BYTES, sealObject, type FetchRange, type ObjectHandle } from './index.ts'
import type { Bytes } from './bytes.ts'

/** A plaintext in which every record and every place in it looks different: byte i is (167 i + i div 256 + i div 65536) mod 256. */
export function patterned(size: number): Bytes {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at++) bytes[at] = 167 * at + (at >>> 8) + (at >>> 16)
  return bytes
}

/** A sealed object as the service holds it, with what opens it. */
export interface Stored {
  readonly key: string
  readonly id: string
  readonly plaintext: Bytes
  readonly sealed: Bytes
}

/** Seals a plaintext under the given or fresh key and id. */
export async function store(plaintext: Bytes, { key = mintObjectKey(), id = mintObjectId() } = {}): Promise<Stored> {
  const sealer = await sealObject({ key, id, size: plaintext.length })
  const sealed = new Uint8Array(sealer.sealedLength)
  let at = 0
  for await (const { bytes } of sealer.parts(new Blob([plaintext]))) {
    sealed.set(bytes, at)
    at += bytes.length
  }
  return { key, id, plaintext, sealed }
}

/** The sealed records of an object, one by one. */
export function recordsOf(sealed: Bytes): Bytes[] {
  const length = RECORD_BYTES + 28
  return Array.from({ length: Math.ceil(sealed.length / length) }, (_, at) => sealed.slice(at * length, (at + 1) * length))
}

/** A fetch of stored bytes in chunks of `chunk` bytes, which notes the ranges it was asked for. */
export function serve(sealed: Bytes, chunk = 65_536): { fetchRange: FetchRange; asked: [number, number][] } {
  const asked: [number, number][] = []
  const fetchRange: FetchRange = (start, end) => {
    asked.push([start, end])
    return Promise.resolve(chunked(sealed.slice(start, end), chunk))
  }
  return { fetchRange, asked }
}

/** A stream of the bytes in chunks of `chunk` bytes. */
export function chunked(bytes: Uint8Array, chunk: number): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull: controller => {
      if (at < bytes.length) controller.enqueue(bytes.slice(at, (at += chunk)))
      else controller.close()
    },
  })
}

/** Opens what is stored. */
export function open({ key, id, sealed }: Pick<Stored, 'key' | 'id' | 'sealed'>): Promise<ObjectHandle> {
  return openObject({ key, id, sealedLength: sealed.length, fetchRange: serve(sealed).fetchRange })
}

/** Reads a stream to its end or failure: the bytes handed over and what it failed with. */
export async function drain(stream: ReadableStream<Uint8Array>): Promise<{ bytes: Buffer; failure: unknown }> {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of stream) chunks.push(chunk)
    return { bytes: Buffer.concat(chunks), failure: undefined }
  } catch (failure) {
    return { bytes: Buffer.concat(chunks), failure }
  }
}
