import { MEDIA_KEY, MEDIA_PATH, type MediaAnswer, type MediaAsk } from './media-wire.ts'

/** The parts of a service worker's fetch event that are used. */
export interface MediaFetchEvent {
  readonly request: Request
  readonly clientId: string
  respondWith(response: Promise<Response>): void
}
interface PageClient {
  postMessage(message: unknown, transfer: Transferable[]): void
}
type FindPage = (clientId: string) => Promise<PageClient | undefined>

const findPage: FindPage = clientId => (globalThis as unknown as { clients: { get(id: string): Promise<PageClient | undefined> } }).clients.get(clientId)

/** In a service worker's fetch listener: answers requests for urls that `mediaUrl` made and says so; leaves all others alone. */
export function answerMedia(event: MediaFetchEvent): boolean {
  const url = new URL(event.request.url)
  if (url.origin !== globalThis.location.origin || !url.pathname.startsWith(MEDIA_PATH)) return false
  event.respondWith(respond(event.request, url, () => findPage(event.clientId)))
  return true
}

/** The first and last byte a Range header asks for, `undefined` for all, `null` when it cannot be satisfied. */
export function parseRange(header: string | null, size: number): { start: number; end: number } | undefined | null {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (from === undefined || to === undefined || from + to === '') return undefined
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1)
  return start >= size || start >= end ? null : { start, end }
}

async function respond(request: Request, url: URL, find: () => Promise<PageClient | undefined>): Promise<Response> {
  const size = Number(url.searchParams.get('size'))
  const type = url.searchParams.get('type') ?? ''
  const page = await find()
  if (page === undefined || !Number.isSafeInteger(size) || size < 0 || !/^(audio|video|image)\/[\w.+-]+$/.test(type)) return new Response(null, { status: 404 })
  const headers = new Headers({
    'Accept-Ranges': 'bytes',
    'Content-Type': type,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': 'sandbox',
  })
  const asked = parseRange(request.headers.get('range'), size)
  if (asked === null) {
    headers.set('Content-Range', `bytes */${size}`)
    return new Response(null, { status: 416, headers })
  }
  const { start, end } = asked ?? { start: 0, end: size }
  headers.set('Content-Length', String(end - start))
  if (asked !== undefined) headers.set('Content-Range', `bytes ${start}-${end - 1}/${size}`)
  const body = bytesFrom(page, { key: MEDIA_KEY, id: url.pathname.slice(MEDIA_PATH.length), start, end })
  return new Response(body, { status: asked === undefined ? 200 : 206, headers })
}

function bytesFrom(page: PageClient, ask: MediaAsk): ReadableStream<Uint8Array> {
  const { port1: port, port2 } = new MessageChannel()
  page.postMessage(ask, [port2])
  return new ReadableStream<Uint8Array>(
    {
      pull: controller =>
        new Promise<void>(resolve => {
          port.onmessage = ({ data }: MessageEvent<MediaAnswer>) => {
            if ('chunk' in data) controller.enqueue(new Uint8Array(data.chunk))
            else {
              if ('done' in data) controller.close()
              else controller.error(new TypeError(`deputy: ${data.failed}`))
              port.close()
            }
            resolve()
          }
          port.postMessage(null)
        }),
      cancel: () => {
        port.postMessage('cancel')
        port.close()
      },
    },
    { highWaterMark: 1 },
  )
}
