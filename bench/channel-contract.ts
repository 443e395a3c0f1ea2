import { byteSource, call, integer, object, string } from '@deputy/contract/shape'

const item = object({ name: string(), n: integer() })

/** What the framed side serves over the channel. */
export const bench = { echo: call([item], item), source: call([integer(), integer()], byteSource) }

/** Bytes that may be unread, for the channel and the bare port alike. */
export const WINDOW = 2 ** 20

/** Asks for a stream of `count` chunks over a bare port, or over the browser's own transferable stream. */
export interface RawRequest {
  readonly size: number
  readonly count: number
  readonly native: boolean
}

/** A stream of `count` fresh chunks. */
export function chunks(size: number, count: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let left = count
  return new ReadableStream({ pull: controller => (left-- > 0 ? controller.enqueue(new Uint8Array(size)) : controller.close()) }, { highWaterMark: 0 })
}
