/**
 * One stream on a port of its own. The reading end grants credit (a number: bytes, or items) and the writing end never has
 * more outstanding than was granted, so the reader's memory is bounded by its own window whatever the writer does.
 *
 * Writing end: a bare Uint8Array or [ITEM, value], at last [END] or [FAIL, error]. Reading end: a bare number, at last
 * [DONE] once all was taken, or [CANCEL, error]. The port is closed by each end after the last message it expects.
 */
import { decodeError, encodeError, RemoteError } from './errors.ts'

const ITEM = 0
const END = 1
const FAIL = 2
const DONE = 3
const CANCEL = 4

/** The writing end. */
export interface Outlet {
  /** Resolves when something may be written. Rejects when the reader cancelled or the link ended. */
  ready(): Promise<void>
  /** Writes a chunk once credit allows. Whole buffers are moved; a chunk above half the window is cut. */
  bytes(chunk: Uint8Array): Promise<void>
  /** Writes an item once credit allows. */
  item(wire: () => { value: unknown; transfer: Transferable[] }): Promise<void>
  /** Says that all is written; resolves when the reader has taken it all. */
  finish(): Promise<void>
  /** Says that no more will come, and why. */
  fail(reason: unknown): void
}

/** Opens the writing end; `cancelled` runs once when the reader wants no more. */
export function openOutlet(port: MessagePort, cancelled: (reason: Error) => void, ended: () => void): Outlet {
  let credit = 0
  let largest = 0
  let over: Error | undefined
  let wake: (() => void) | undefined
  let finished: { resolve: () => void; reject: (error: Error) => void } | undefined

  const close = (error: Error) => {
    if (over !== undefined) return
    over = error
    port.onmessage = null
    port.close()
    wake?.()
    finished?.reject(error)
    ended()
  }
  const until = async (size: number) => {
    while (over === undefined && credit < size) {
      await new Promise<void>(resolve => (wake = resolve))
      wake = undefined
    }
    if (over !== undefined) throw over
  }
  port.onmessage = ({ data }) => {
    if (typeof data === 'number' && data > 0) {
      credit += data
      // The first grant is the reader's window; half of it leaves room for the next chunk while one is read.
      largest ||= Math.max(1, Math.floor(credit / 2))
      return wake?.()
    }
    const [kind, reason] = Array.isArray(data) ? (data as unknown[]) : []
    if (kind === DONE) {
      finished?.resolve()
      finished = undefined
      close(new RemoteError('Error', 'the stream has ended'))
    } else if (kind === CANCEL) {
      const error = decodeReason(reason)
      close(error)
      cancelled(error)
    }
  }
  return {
    ready: () => until(1),
    bytes: async chunk => {
      if (credit === 0) await until(1)
      for (let offset = 0; offset < chunk.byteLength; offset += largest) {
        const rest = chunk.byteLength - offset
        const piece = rest <= largest && offset === 0 ? chunk : chunk.subarray(offset, offset + largest)
        const size = piece.byteLength
        if (credit < size) await until(size)
        else if (over !== undefined) throw over
        credit -= size
        const view = piece.buffer instanceof ArrayBuffer && piece.buffer.byteLength === size ? piece : new Uint8Array(piece)
        port.postMessage(view, [view.buffer as ArrayBuffer])
      }
    },
    item: async wire => {
      await until(1)
      const { value, transfer } = wire()
      credit -= 1
      port.postMessage([ITEM, value], transfer)
    },
    finish: () =>
      new Promise((resolve, reject) => {
        if (over !== undefined) return reject(over)
        finished = { resolve, reject }
        port.postMessage([END])
      }),
    fail: reason => {
      if (over !== undefined) return
      port.postMessage([FAIL, encodeReason(reason)])
      close(reason instanceof Error ? reason : new RemoteError('Error', 'the stream has failed'))
    },
  }
}

/** The reading end. */
export interface Inlet {
  /** Gives credit back for what was taken, a quarter of the window at a time: the writer always has the half that its longest piece may need. */
  taken(size: number): void
  /** Says that all was taken. */
  done(): void
  /** Says that no more is wanted, and why. */
  cancel(reason: unknown): void
}

/** What the reading end does with what arrives. */
export interface Sink {
  chunk(value: unknown, size: number): void
  end(): void
  fail(reason: Error): void
}

/** Opens the reading end with a window of credit; a writer that oversteps it, or sends what is no chunk, is cut off. */
export function openInlet(port: MessagePort, window: number, items: boolean, sink: Sink, ended: () => void): Inlet {
  let held = 0
  let free = 0
  let open = true

  const close = () => {
    if (!open) return
    open = false
    port.onmessage = null
    port.close()
    ended()
  }
  const cancel = (reason: unknown) => {
    if (!open) return
    port.postMessage([CANCEL, encodeReason(reason)])
    close()
  }
  const refuse = () => {
    const error = new TypeError('the stream was not written as agreed')
    cancel(error)
    sink.fail(error)
  }
  const admit = (value: unknown, size: number) => {
    held += size
    if (held > window) return refuse()
    try {
      return sink.chunk(value, size)
    } catch (error) {
      cancel(error)
      sink.fail(error as Error)
    }
  }
  port.onmessage = ({ data }) => {
    if (data instanceof Uint8Array) {
      if (items || !(data.buffer instanceof ArrayBuffer)) return refuse()
      if (data.byteLength > 0) admit(data.byteLength === data.buffer.byteLength ? data : data.slice(), data.byteLength)
      return
    }
    const [kind, value] = Array.isArray(data) ? (data as unknown[]) : []
    if (kind === ITEM && items) return admit(value, 1)
    if (kind === END) return sink.end()
    if (kind !== FAIL) return refuse()
    close()
    sink.fail(decodeReason(value))
  }
  port.onmessageerror = refuse
  port.postMessage(window)
  return {
    taken: size => {
      free += size
      if (!open || free === 0 || free < window / 4) return
      held -= free
      port.postMessage(free)
      free = 0
    },
    done: () => {
      if (open) port.postMessage([DONE])
      close()
    },
    cancel,
  }
}

/** Reasons of cancelling may be anything; text crosses, errors cross as errors, other things do not. */
const encodeReason = (reason: unknown): unknown => (typeof reason === 'string' ? reason.slice(0, 1024) : reason === undefined ? undefined : encodeError(reason))
const decodeReason = (wire: unknown): Error => {
  if (wire === undefined) return new DOMException('The stream was cancelled', 'AbortError')
  return typeof wire === 'string' ? new RemoteError('Error', wire.slice(0, 1024)) : decodeError(wire)
}
