const chunkBytes = 2 ** 20

/**
 * The bytes as a stream of chunks, each with memory of its own, copied when it is asked for: a Blob of them would leave the process
 * and come back.
 */
export function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0
  return new ReadableStream(
    {
      pull: controller => {
        if (at >= bytes.length) return controller.close()
        controller.enqueue(bytes.slice(at, at + chunkBytes))
        at += chunkBytes
      },
    },
    { highWaterMark: 0 },
  )
}
