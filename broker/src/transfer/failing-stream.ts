type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>

/** The same stream; it fails with what `failing` makes of its error. */
export function failingStream(stream: Bytes, failing: (error: unknown) => unknown): Bytes {
  const reader = stream.getReader()
  return new ReadableStream(
    {
      pull: async controller => {
        try {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          throw failing(error)
        }
      },
      cancel: reason => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** The same stream; `note` hears what it failed with, which its reader may not tell. */
export const notedStream = (stream: Bytes, note: (error: Error) => void): Bytes =>
  failingStream(stream, error => {
    note(error instanceof Error ? error : new Error('the stream broke'))
    return error
  })
