import { envelopeOf, type Envelope } from './room-envelope.ts'
import { onEnd, watch } from './room-listeners.ts'
import { sayPaced } from './room-pace.ts'
import {
  digestAfter,
  fromBase64,
  PAYLOAD_MAX_BYTES,
  PAYLOAD_WINDOW,
  PayloadError,
  type PayloadErrorCode,
  type PayloadProgress,
  START,
  stopWords,
  toBase64,
} from './room-payload-wire.ts'
import type { PayloadRoom } from './room-payload-send.ts'

/** A payload that is arriving. Its name and type are the sender's word. */
export interface IncomingPayload {
  /** Member id of the sender. */
  readonly from: string
  readonly name: string
  readonly type: string
  /** Bytes. */
  readonly size: number
  /** The whole once its digest is right; rejects with a `PayloadError`. */
  readonly done: Promise<Blob>
  /** Calls the listener after every part. Answers the unsubscribe function. */
  onProgress(listener: (progress: PayloadProgress) => void): () => void
  /** Gives it up and tells the sender. */
  abort(): void
}

interface Arriving {
  readonly payload: IncomingPayload
  readonly size: number
  hear(envelope: Envelope): void
  end(code: PayloadErrorCode): void
}

/** Payloads that may arrive at the same time from one member. */
const EACH = 4
/** Milliseconds without a part before a payload is given up. */
const IDLE = 60_000

/**
 * Takes the payloads others send in the room to all or to this page, until the answered function is called, which gives up those that are arriving,
 * or the room ends. Payloads that are arriving hold at most `maxBytes` together (64 MiB unless said); what does not fit is refused.
 */
export async function receivePayloads(
  room: PayloadRoom,
  listener: (payload: IncomingPayload) => void,
  { maxBytes = PAYLOAD_MAX_BYTES }: { readonly maxBytes?: number } = {},
): Promise<() => void> {
  const open = new Map<string, Arriving>()
  const tell = (envelope: Envelope): void => sayPaced(room, envelope)
  const offered = (from: string, envelope: Envelope): void => {
    const { id, to, size, name, type } = envelope
    const isMine = to === room.self.id
    const of = [...open].filter(([key]) => key.startsWith(`${from} `)).length
    const held = [...open.values()].reduce((sum, arriving) => sum + arriving.size, 0)
    const fits = typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 && held + size <= maxBytes
    if (typeof id !== 'string' || (!isMine && to !== null)) return
    const key = `${from} ${id}`
    if (!fits || of >= EACH || open.has(key)) {
      if (isMine) tell(stopWords(id, from, 'refused'))
      return
    }
    const over = (why: 'aborted' | 'broken' | 'kept' | undefined): void => {
      open.delete(key)
      if (why !== undefined && isMine) tell(why === 'kept' ? { kind: 'kept', id, to: from } : stopWords(id, from, why))
    }
    const more = (loaded: number): void => {
      if (isMine) tell({ kind: 'more', id, to: from, loaded })
    }
    const arriving = arrivingOf({ from, size, name: shortText(name), type: shortText(type) }, more, over)
    open.set(key, arriving)
    if (isMine) tell({ kind: 'take', id, to: from })
    try {
      listener(arriving.payload)
    } catch (error) {
      reportError(error)
    }
  }
  const off = await watch(room, event => {
    if (event.type === 'left') {
      for (const [key, arriving] of [...open]) if (key.startsWith(`${event.id} `)) arriving.end('gone')
      return
    }
    const { from, envelope } = envelopeOf(event) ?? {}
    if (from === undefined || envelope === undefined || from === room.self.id) return
    if (envelope.kind === 'offer') offered(from, envelope)
    else if (typeof envelope['id'] === 'string') open.get(`${from} ${envelope['id']}`)?.hear(envelope)
  })
  const forget = onEnd(room, () => {
    off()
    for (const arriving of [...open.values()]) arriving.end('closed')
  })
  return () => {
    off()
    forget()
    for (const { payload } of [...open.values()]) payload.abort()
  }
}

const shortText = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 200) : '')

type Offered = Pick<IncomingPayload, 'from' | 'name' | 'type' | 'size'>

/** A payload that was offered; `more` hears now and then how much of it has come, `over` its end once, with what its sender is to be told. */
function arrivingOf(offered: Offered, more: (loaded: number) => void, over: (why: 'aborted' | 'broken' | 'kept' | undefined) => void): Arriving {
  const { size: total, type } = offered
  const parts: Uint8Array<ArrayBuffer>[] = []
  const listeners = new Set<(progress: PayloadProgress) => void>()
  const { promise: done, resolve, reject } = Promise.withResolvers<Blob>()
  let digest = Promise.resolve(START)
  let loaded = 0
  let told = 0
  let isOver = false
  let idle = setTimeout(() => fail('stalled', 'aborted'), IDLE)
  // Whoever does not look at it is not to be told of an unhandled rejection.
  done.catch(() => undefined)
  const finish = (why: Parameters<typeof over>[0]): boolean => {
    if (isOver) return false
    isOver = true
    clearTimeout(idle)
    over(why)
    return true
  }
  const fail = (code: PayloadErrorCode, why?: 'aborted' | 'broken'): void => {
    if (!finish(why)) return
    parts.length = 0
    reject(new PayloadError(code))
  }
  const part = ({ n, bytes: text }: Envelope): void => {
    const bytes = fromBase64(text)
    if (n !== parts.length || bytes === null || bytes.length === 0 || loaded + bytes.length > total) return fail('broken', 'broken')
    clearTimeout(idle)
    idle = setTimeout(() => fail('stalled', 'aborted'), IDLE)
    parts.push(bytes)
    loaded += bytes.length
    digest = digest.then(before => digestAfter(before, bytes))
    if (loaded - told > PAYLOAD_WINDOW / 4) more((told = loaded))
    for (const listener of [...listeners]) listener({ loaded, total })
  }
  const last = async (told: unknown): Promise<void> => {
    if (loaded !== total || toBase64(await digest) !== told) return fail('broken', 'broken')
    if (finish('kept')) resolve(new Blob(parts, { type }))
  }
  return {
    payload: {
      ...offered,
      done,
      onProgress: listener => {
        // The same function may listen twice.
        const own = (progress: PayloadProgress): void => listener(progress)
        listeners.add(own)
        return () => void listeners.delete(own)
      },
      abort: () => fail('aborted', 'aborted'),
    },
    size: total,
    hear: envelope => {
      if (isOver) return
      if (envelope.kind === 'part') part(envelope)
      else if (envelope.kind === 'end') void last(envelope['digest'])
      else if (envelope.kind === 'stop') fail('aborted')
    },
    end: code => fail(code),
  }
}
