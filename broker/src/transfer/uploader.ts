import { streamWindow, type FromFrame, type FromWorker, type UploadFailure, type UploadOrder, type UploadStart } from './upload-wire.ts'

/** What one upload needs of the frame. */
export interface UploadOptions {
  readonly source: Blob | ReadableStream<Uint8Array<ArrayBuffer>>
  readonly token: () => Promise<string | null>
  readonly onProgress: (loaded: number) => void
  /** Stops the upload; the answer then means nothing. */
  readonly signal: AbortSignal
}

/** Seals and uploads in a worker. Answers null once every part has landed, else why not. Never throws. */
export type Uploader = (order: Omit<UploadOrder, 'blob'>, options: UploadOptions) => Promise<UploadFailure | null>

/** Uploads through one worker, made at the first upload and anew after it died. */
export function uploaderWith(makeWorker: () => Worker): Uploader {
  let worker: Worker | undefined
  const deaths = new Set<() => void>()
  const alive = (): Worker => {
    if (worker !== undefined) return worker
    const made = makeWorker()
    const die = (): void => {
      if (worker === made) worker = undefined
      made.terminate()
      for (const death of [...deaths]) death()
    }
    made.onerror = die
    made.onmessageerror = die
    worker = made
    return made
  }

  return (order, { source, token, onProgress, signal }) =>
    new Promise(resolve => {
      const { port1, port2 } = new MessageChannel()
      const tell = (message: FromFrame, transfer: Transferable[] = []): void => port1.postMessage(message, transfer)
      const stream = source instanceof Blob ? null : pump(source, tell)
      const end = (failure: UploadFailure | null): void => {
        signal.removeEventListener('abort', stop)
        deaths.delete(died)
        stream?.stop()
        tell({ type: 'stop' })
        // The worker's own end closes with the port's.
        setTimeout(() => port1.close(), 0)
        resolve(failure)
      }
      const stop = (): void => end('unavailable')
      const died = stop
      port1.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if (data.type === 'token') void token().then(text => tell({ type: 'token', token: text }))
        else if (data.type === 'progress') onProgress(data.loaded)
        else if (data.type === 'taken') stream?.taken(data.bytes)
        else end(data.type === 'landed' ? null : data.why)
      }
      signal.addEventListener('abort', stop)
      deaths.add(died)
      if (signal.aborted) return stop()
      const start: UploadStart = { order: { ...order, blob: source instanceof Blob ? source : null }, port: port2 }
      alive().postMessage(start, [port2])
      stream?.start()
    })
}

interface Pump {
  start(): void
  taken(bytes: number): void
  stop(): void
}

/** Moves the chunks of a stream to the worker, no more than the window ahead of it. */
function pump(source: ReadableStream<Uint8Array<ArrayBuffer>>, tell: (message: FromFrame, transfer?: Transferable[]) => void): Pump {
  const reader = source.getReader()
  let ahead = 0
  let reading = false
  let over = false

  const run = async (): Promise<void> => {
    if (reading) return
    reading = true
    try {
      while (!over && ahead < streamWindow) {
        const { done, value } = await reader.read()
        if (over) return
        if (done) {
          over = true
          return tell({ type: 'end' })
        }
        if (value.length === 0) continue
        // A view of a larger buffer is not moved: what lies beside it may still be in use.
        const chunk = value.byteLength === value.buffer.byteLength ? value : value.slice()
        ahead += chunk.length
        tell({ type: 'chunk', chunk }, [chunk.buffer])
      }
    } catch {
      if (!over) tell({ type: 'broke' })
      over = true
    } finally {
      reading = false
    }
  }
  return {
    start: () => void run(),
    taken: bytes => {
      ahead -= bytes
      void run()
    },
    stop: () => {
      over = true
      reader.cancel().catch(() => undefined)
    },
  }
}
