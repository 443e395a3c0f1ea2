/** The same stream; `note` hears what it failed with, which its reader may not tell. */
export function notedStream(stream: ReadableStream<Uint8Array<ArrayBuffer>>, note: (error: Error) => void): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader()
  return new ReadableStream(
    {
      pull: async controller => {
        try {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          note(error instanceof Error ? error : new Error('the stream broke'))
          throw error
        }
      },
      cancel: reason => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
