/** A stream fed by messages. */
export interface Incoming {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>
  push(chunk: Uint8Array<ArrayBuffer>): void
  end(): void
  fail(): void
}

/** Makes a stream out of pushes; `onTaken` hears the bytes of each chunk once its reader has taken it. */
export function incoming(onTaken: (bytes: number) => void): Incoming {
  const waiting: Uint8Array<ArrayBuffer>[] = []
  let ended = false
  let pulled: (() => void) | undefined
  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>

  const serve = (): void => {
    if (pulled === undefined) return
    const chunk = waiting.shift()
    if (chunk !== undefined) {
      controller.enqueue(chunk)
      onTaken(chunk.length)
    } else if (ended) controller.close()
    else return
    const taken = pulled
    pulled = undefined
    taken()
  }
  const readable = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start: given => {
        controller = given
      },
      pull: () =>
        new Promise(resolve => {
          pulled = resolve
          serve()
        }),
    },
    { highWaterMark: 0 },
  )
  return {
    readable,
    push: chunk => {
      waiting.push(chunk)
      serve()
    },
    end: () => {
      ended = true
      serve()
    },
    fail: () => {
      if (!ended) controller.error(new Error('the source broke'))
      ended = true
      pulled?.()
    },
  }
}
