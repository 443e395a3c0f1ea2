import type { Volume } from './volume.ts'

/** `start` and `end` as Node has them: both are read. */
export interface StreamOptions {
  readonly start?: number | undefined
  readonly end?: number | undefined
  readonly highWaterMark?: number | undefined
}

type Within = <T>(syscall: string, run: (volume: Volume, path: string) => Promise<T>) => Promise<T>

/** A file's bytes as they are asked for, one run at a time. */
export function readStream(within: Within, { start = 0, end, highWaterMark = 2 ** 20 }: StreamOptions): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = start
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: async controller => {
        const until = Math.min(at + highWaterMark, end === undefined ? Infinity : end + 1)
        const bytes = until > at ? await within('read', (volume, path) => volume.read(path, at, until)) : undefined
        if (bytes === undefined || bytes.length === 0) {
          controller.close()
          return
        }
        at += bytes.length
        controller.enqueue(bytes)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Takes parts of a file and puts the whole in place when it is closed; an aborted stream leaves what was there. */
export function writeStream(put: (parts: readonly (string | Uint8Array)[]) => Promise<void>): WritableStream<string | Uint8Array> {
  const parts: (string | Uint8Array)[] = []
  return new WritableStream<string | Uint8Array>({
    // The writer may use its buffer again.
    write: part => void parts.push(typeof part === 'string' ? part : part.slice()),
    close: () => put(parts),
  })
}
