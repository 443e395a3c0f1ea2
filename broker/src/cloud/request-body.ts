import type { cloud } from '@deputy/contract/cloud'
import type { Served } from '@deputy/contract/shape'

/** A request's init as it arrives over the channel. */
export type Init = Parameters<Served<typeof cloud>['fetch']>[1]

/** A body as bytes, and the content type it implies where the app names none. */
export function bodyOf(body: Init['body'] | ReadableStream<Uint8Array<ArrayBuffer>> | null): {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>> | null
  readonly type: string | null
} {
  if (body === null || body === undefined) return { stream: null, type: null }
  if (body instanceof ReadableStream) return { stream: body, type: null }
  const { body: stream, headers } = new Response(body)
  return { stream, type: headers.get('content-type') }
}
