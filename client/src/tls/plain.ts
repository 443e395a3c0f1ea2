import type { Duplex } from 'readable-stream'
import { Buffer } from 'buffer'
import type { Connection } from './connection.ts'

/** The two directions of what is talked within a connection, over the stream its ciphertext goes by. */
export interface Plain {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>
  readonly writable: WritableStream<Uint8Array<ArrayBuffer>>
  /** Begins the handshake. */
  begin(connection: Connection): void
  /** Sends our end, after all that was encrypted. */
  end(): void
  /** Settles once our end was sent, or can no longer be. */
  readonly sent: Promise<void>
}
/** What a connection tells while it is made. */
export interface PlainEvents {
  /** The handshake is done; what it throws ends the connection. */
  secure(): void
  /** The handshake did not hold. */
  refused(): Error
  failed(error: Error): void
}

const cut = (): Error => Object.assign(new Error('Client network socket disconnected before secure TLS connection was established'), { code: 'ECONNRESET' })

/** Runs a connection over a stream: reads no more of it than is taken, writes no more than it takes. */
export function plainOver(under: Duplex, events: PlainEvents): Plain {
  let connection: Connection | undefined
  let isSecure = false
  let isOver = false
  let hasEnded = false
  let isEnded = false
  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>
  const secured = Promise.withResolvers<void>()
  const sent = Promise.withResolvers<void>()
  secured.promise.catch(() => undefined)

  const finish = (error?: Error): void => {
    if (isOver) return
    isOver = true
    if (error === undefined) controller.close()
    else controller.error(error)
    secured.reject(error ?? new Error('the connection is closed'))
    if (error !== undefined) events.failed(error)
  }
  const flush = (): boolean => {
    const bytes = connection?.drain()
    return bytes === undefined || bytes.byteLength === 0 || under.destroyed || !under.writable || under.write(Buffer.from(bytes.buffer))
  }
  const step = (): void => {
    if (connection === undefined || isOver) return
    try {
      if (!isSecure) {
        const done = connection.handshake()
        const error = done === 'failed' ? events.refused() : undefined
        flush()
        if (error !== undefined) return finish(error)
        if (done === 'wants') return hasEnded ? finish(cut()) : undefined
        isSecure = true
        events.secure()
        secured.resolve()
      }
      while ((controller.desiredSize ?? 0) > 0) {
        const bytes = connection.read()
        flush()
        if (bytes === 'closed' || (bytes === null && hasEnded)) return finish()
        if (bytes === null) break
        controller.enqueue(bytes)
      }
      if ((controller.desiredSize ?? 0) > 0) under.resume()
      else under.pause()
    } catch (error) {
      finish(error as Error)
      // The peer is told why, unless it is the engine itself that broke off.
      if (!(error instanceof WebAssembly.RuntimeError)) flush()
    }
  }

  const end = (): void => {
    if (isEnded) return
    isEnded = true
    connection?.end()
    flush()
    under.end()
    sent.resolve()
  }

  const readable = new ReadableStream<Uint8Array<ArrayBuffer>>(
    { start: of => void (controller = of), pull: step, cancel: () => void (isOver = true) },
    { highWaterMark: 2 },
  )
  const writable = new WritableStream<Uint8Array<ArrayBuffer>>(
    {
      write: async bytes => {
        await secured.promise
        for (let at = 0; at < bytes.byteLength;) {
          const count = connection?.write(bytes.subarray(at)) ?? 0
          at += count
          if (!flush()) await drained(under)
          if (count === 0 && at < bytes.byteLength) throw new Error('the connection takes nothing')
        }
      },
      close: async () => {
        await secured.promise.catch(() => undefined)
        end()
      },
      abort: () => sent.resolve(),
    },
    // One at a time: what is not secured yet is not told as sent.
    new CountQueuingStrategy({ highWaterMark: 1 }),
  )
  under.on('close', () => {
    hasEnded = true
    if (isSecure) step()
    if (!isOver) finish(isSecure ? undefined : cut())
    sent.resolve()
    connection?.free()
  })
  return {
    readable,
    writable,
    end,
    sent: sent.promise,
    begin: of => {
      connection = of
      under.on('data', (bytes: Uint8Array) => {
        connection?.feed(bytes)
        step()
      })
      under.on('end', () => {
        hasEnded = true
        step()
      })
      step()
      under.resume()
    },
  }
}

const drained = (under: Duplex): Promise<void> =>
  new Promise(resolve => {
    const over = (): void => {
      under.off('drain', over)
      under.off('close', over)
      resolve()
    }
    if (under.destroyed) return resolve()
    under.on('drain', over)
    under.on('close', over)
  })
