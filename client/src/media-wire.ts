/** Path under which an app's service worker answers for opened objects. */
export const MEDIA_PATH = '/deputy-media/'
/** Marks the message with which the worker asks its page for a range. */
export const MEDIA_KEY = '@deputy/media'

/** Worker to page, with one port: bytes from `start` to `end` exclusive of the file registered as `id`. */
export interface MediaAsk {
  readonly key: typeof MEDIA_KEY
  readonly id: string
  readonly start: number
  readonly end: number
}
/** Page to worker on the port, one for each `null` the worker posts: the next chunk, the end, or the failure. */
export type MediaAnswer = { readonly chunk: ArrayBuffer } | { readonly done: true } | { readonly failed: string }
