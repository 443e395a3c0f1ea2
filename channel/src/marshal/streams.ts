import type { Shape } from '@deputy/contract/shape'
import { ShapeError } from '@deputy/contract/validate'
import { openInlet, openOutlet, type Inlet, type Outlet } from '../chunk-port.ts'
import type { Codec, Context, Kinds } from './context.ts'

type Write = (outlet: Outlet, chunk: unknown) => Promise<void>

const asBytes: Write = (outlet, chunk) => {
  if (chunk instanceof Uint8Array) return outlet.bytes(chunk)
  throw new ShapeError('chunk', 'a Uint8Array')
}

/** Sends what a stream yields; reads no chunk before there is credit for some of it. */
export function sendSource(source: ReadableStream<unknown>, context: Context, write: Write = asBytes): MessagePort {
  const reference = context.references.openStream(error => {
    outlet.fail(error)
    cancel(error)
  })
  const { port1, port2 } = new MessageChannel()
  const reader = source.getReader()
  const cancel = (reason: Error) => void reader.cancel(reason).catch(ignore)
  const outlet = openOutlet(port1, cancel, () => reference.drop())
  const pump = async () => {
    for (;;) {
      await outlet.ready()
      const { done, value } = await reader.read()
      if (done) return outlet.finish()
      await write(outlet, value)
    }
  }
  pump().catch((error: unknown) => {
    // Also after a chunk that cannot be written: the source must hear of it.
    cancel(error as Error)
    outlet.fail(error)
  })
  context.references.minted.push(reference)
  context.transfer.push(port2)
  return port2
}

/** A stream of what arrives on a port; credit goes back as it is read. */
export function receiveSource(port: MessagePort, context: Context, read?: (wire: unknown) => unknown): ReadableStream<unknown> {
  const window = read === undefined ? context.limits.window : context.limits.items
  const reference = context.references.openStream(error => {
    made.inlet?.cancel(error)
    controller.error(error)
  })
  let controller!: ReadableStreamDefaultController<unknown>
  let unread = 0
  // Assigned before anything can be read, but `pull` runs once while the stream is made.
  const made: { inlet?: Inlet } = {}
  const stream = new ReadableStream<unknown>(
    {
      start: started => void (controller = started),
      pull: () => {
        // What left the queue since: the queue's size is what the window lacks.
        const queued = window - (controller.desiredSize ?? window)
        made.inlet?.taken(unread - queued)
        unread = queued
      },
      cancel: reason => made.inlet?.cancel(reason),
    },
    { highWaterMark: window, size: chunk => (read === undefined ? (chunk as Uint8Array).byteLength : 1) },
  )
  const sink = {
    chunk: (value: unknown, size: number) => {
      unread += size
      controller.enqueue(read === undefined ? value : read(value))
    },
    end: () => {
      controller.close()
      made.inlet?.done()
    },
    fail: (error: Error) => controller.error(error),
  }
  made.inlet = openInlet(port, window, read !== undefined, sink, () => reference.drop())
  context.references.taken.push(reference)
  return stream
}

/** Lets the peer write into a sink; credit goes back as the sink takes it. */
function sendSink(target: WritableStream<unknown>, context: Context): MessagePort {
  const reference = context.references.openStream(error => {
    inlet.cancel(error)
    sink.fail(error)
  })
  const { port1, port2 } = new MessageChannel()
  const writer = target.getWriter()
  const sink = {
    chunk: (value: unknown, size: number) => {
      writer.write(value).then(
        () => inlet.taken(size),
        (error: unknown) => inlet.cancel(error),
      )
    },
    end: () =>
      void writer.close().then(
        () => inlet.done(),
        (error: unknown) => inlet.cancel(error),
      ),
    fail: (error: Error) => void writer.abort(error).catch(ignore),
  }
  const inlet = openInlet(port1, context.limits.window, false, sink, () => reference.drop())
  writer.closed.catch((error: unknown) => inlet.cancel(error))
  context.references.minted.push(reference)
  context.transfer.push(port2)
  return port2
}

/** A writable stream whose chunks go to the peer's sink; closing it waits for that sink. */
function receiveSink(port: MessagePort, context: Context): WritableStream<Uint8Array> {
  let controller!: WritableStreamDefaultController
  const reference = context.references.openStream(error => {
    outlet.fail(error)
    controller.error(error)
  })
  const outlet = openOutlet(
    port,
    error => controller.error(error),
    () => reference.drop(),
  )
  context.references.taken.push(reference)
  return new WritableStream<Uint8Array>({
    start: made => void (controller = made),
    write: chunk => asBytes(outlet, chunk),
    close: () => outlet.finish(),
    abort: reason => outlet.fail(reason),
  })
}

/** A readable stream of bytes. */
const byteSource: Codec = {
  encode: (value, context, path) => sendSource(unlocked(value, path), context),
  decode: (wire, context, path) => receiveSource(asPort(wire, path), context),
}

/** A writable stream of bytes. */
const byteSink: Codec = {
  encode: (value, context, path) => {
    if (!(value instanceof WritableStream) || value.locked) throw new ShapeError(path, 'an unlocked WritableStream')
    return sendSink(value, context)
  },
  decode: (wire, context, path) => receiveSink(asPort(wire, path), context),
}

/** A readable stream of items of a shape. */
const items = (of: Codec): Codec => ({
  encode: (value, context, path) =>
    sendSource(unlocked(value, path), context, (outlet, chunk) => outlet.item(() => context.compose(() => of.encode(chunk, context, 'item')))),
  decode: (wire, context, path) =>
    receiveSource(asPort(wire, path), context, value => {
      context.references.taken = []
      return of.decode(value, context, 'item')
    }),
})

/** Streams of bytes and of items, for `learn`. */
export const byteStreams: Kinds = {
  byteSource: () => byteSource,
  byteSink: () => byteSink,
  stream: (body, compile) => items(compile((body as { readonly of: Shape }).of)),
}

const unlocked = (value: unknown, path: string): ReadableStream<unknown> => {
  if (!(value instanceof ReadableStream) || value.locked) throw new ShapeError(path, 'an unlocked ReadableStream')
  return value
}
const asPort = (wire: unknown, path: string): MessagePort => {
  if (!(wire instanceof MessagePort)) throw new ShapeError(path, 'a stream')
  return wire
}
const ignore = () => {}
