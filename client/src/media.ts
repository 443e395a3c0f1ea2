import { MEDIA_KEY, MEDIA_PATH, type MediaAnswer, type MediaAsk } from './media-wire.ts'
import type { StoredFile } from './storage.ts'

const served = new Map<string, StoredFile>()
let listening = false

/** A url that media elements of this page can play and seek in, until it is released. */
export interface MediaUrl {
  readonly url: string
  release(): void
}

/**
 * Makes an opened object playable with seeking: `<video src>` asks the app's own service worker for ranges, the worker asks this
 * page, and only the records of those ranges are fetched and opened. The worker must call `answerMedia` of `@deputy/client/media-worker`.
 * @throws {Error} when no service worker controls the page. @throws {TypeError} for a type that is no audio, video or image.
 */
export function mediaUrl(file: StoredFile, options: { readonly type: string }): MediaUrl {
  if (!/^(audio|video|image)\/[\w.+-]+$/.test(options.type)) throw new TypeError(`deputy: "${options.type}" is no audio, video or image type`)
  if (!navigator.serviceWorker?.controller) throw new Error('deputy: no service worker controls this page; register one that calls answerMedia, then reload')
  if (!listening) {
    navigator.serviceWorker.addEventListener('message', answer)
    navigator.serviceWorker.startMessages()
    listening = true
  }
  const id = crypto.randomUUID()
  served.set(id, file)
  const query = new URLSearchParams({ size: String(file.size), type: options.type })
  return { url: `${MEDIA_PATH}${id}?${query}`, release: () => void served.delete(id) }
}

function answer(event: MessageEvent<MediaAsk | undefined>): void {
  const ask = event.data
  const port = event.ports[0]
  if (ask?.key !== MEDIA_KEY || port === undefined) return
  const file = served.get(ask.id)
  if (file === undefined) return port.postMessage({ failed: 'released' } satisfies MediaAnswer)
  const reader = file.read(ask.start, ask.end).then(stream => stream.getReader())
  const fail = (error: unknown) => port.postMessage({ failed: error instanceof Error ? error.message : String(error) } satisfies MediaAnswer)
  const next = async () => {
    const { done, value } = await (await reader).read()
    if (done) return port.postMessage({ done: true } satisfies MediaAnswer)
    const chunk = value.byteLength === value.buffer.byteLength ? value.buffer : value.slice().buffer
    port.postMessage({ chunk } satisfies MediaAnswer, [chunk])
  }
  port.addEventListener('message', ({ data }) => {
    if (data === 'cancel') {
      reader.then(taken => taken.cancel()).catch(() => undefined)
      port.close()
    } else next().catch(fail)
  })
  port.start()
}
