import { SealError, sealFile, sealObject, type SealedPart } from '@deputy/seal'
import { wait } from '../api/api.ts'
import type { SendPart } from './send-part.ts'
import type { UploadFailure, UploadOrder } from './upload-wire.ts'

/** What one upload needs around it. */
export interface UploadNeeds {
  readonly source: Blob | ReadableStream<Uint8Array>
  /** The token to send the next part with; null once there is none. */
  readonly token: () => Promise<string | null>
  readonly send: SendPart
  /** Called with bytes of the file itself, never less than before, `size` at the very end. */
  readonly onProgress: (loaded: number) => void
  readonly signal: AbortSignal
  /** Milliseconds before each retry of a part. */
  readonly pauses?: readonly number[]
}

const lanes = 4
const patiently = [300, 1000, 3000, 8000, 15_000]

class Stopped extends Error {
  readonly why: UploadFailure
  constructor(why: UploadFailure) {
    super(why)
    this.why = why
  }
}

/**
 * Seals the source and sends its parts, a few at a time. A part is sealed once and sent with the same bytes until it lands.
 * Answers null once every part has landed, else why not.
 */
export async function upload(
  order: Omit<UploadOrder, 'blob'>,
  { source, token, send, onProgress, signal, pauses = patiently }: UploadNeeds,
): Promise<UploadFailure | null> {
  const { parts, size } = order
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  const left = new Map<number, number>()
  let told = -1
  const progress = (): void => {
    const sent = [...left.values()].reduce((sum, bytes) => sum + bytes, 0)
    // The sealed bytes are a few more than the file's own; all of them are told once all have landed.
    const loaded = Math.max(told, Math.min(sent, size - 1))
    if (loaded > told) onProgress((told = loaded))
  }

  const sendUntilLanded = async (part: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> => {
    const url = `${parts}/${part}`
    let again = 0
    let refused: string | null = null
    for (;;) {
      const current = await token()
      // A token refused twice is over; one that was renewed meanwhile is tried.
      if (current === null || current === refused) throw new Stopped('unauthorized')
      const onSent = (sent: number): void => {
        left.set(part, sent)
        progress()
      }
      const outcome = await send(url, bytes, current, { signal: ended, onSent })
      ended.throwIfAborted()
      if (outcome === 'landed') return onSent(bytes.length)
      if (outcome === 'gone') throw new Stopped('gone')
      if (outcome === 'unauthorized') {
        refused = current
        continue
      }
      const pause = pauses[again++]
      if (pause === undefined) throw new Stopped('unavailable')
      await wait(pause, ended)
      ended.throwIfAborted()
    }
  }

  const flying = new Set<Promise<void>>()
  let failure: unknown
  const launch = ({ part, bytes, release }: SealedPart): void => {
    const flight = sendUntilLanded(part, bytes)
      // The sealer seals a later part into the same memory.
      .then(release)
      .catch((error: unknown) => {
        failure ??= error
        stop.abort()
      })
      .finally(() => flying.delete(flight))
    flying.add(flight)
  }
  try {
    for await (const sealed of await sealedParts(order, source, ended)) {
      launch(sealed)
      if (flying.size >= lanes) await Promise.race(flying)
    }
    await Promise.all(flying)
  } catch (error) {
    failure ??= error
    stop.abort()
    await Promise.all(flying)
  }
  if (failure === undefined) {
    onProgress(size)
    return null
  }
  if (failure instanceof Stopped) return failure.why
  // What is no refusal of ours is the source's: it broke, or did not keep its word.
  return failure instanceof SealError && failure.code !== 'short-stream' ? 'unavailable' : 'short-stream'
}

async function sealedParts(
  { size, content }: Omit<UploadOrder, 'blob'>,
  source: UploadNeeds['source'],
  signal: AbortSignal,
): Promise<AsyncIterable<SealedPart>> {
  if (content.kind === 'file') return (await sealFile(content.file)).parts(source, { partBytes: content.partBytes, signal })
  const { id, key, recordsPerPart } = content
  return (await sealObject({ key, id, size })).parts(source, { recordsPerPart, signal })
}
