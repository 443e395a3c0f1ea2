import type { MediaFetchEvent } from '@deputy/client/media-worker'

const page = ['/', '/app.js', '/app.css', '/icon.svg']
const kept = () => caches.open('page')

/** Keeps the page itself, so that it opens without a network. */
export async function keepPage(): Promise<void> {
  // Without it everything works while there is a network.
  await (await kept()).addAll(page).catch(() => undefined)
}

/** Answers with what the server says and, while it says nothing, with what it said last. */
export function answerOffline(event: MediaFetchEvent): void {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin || request.headers.has('range')) return
  // Every path is the same page.
  event.respondWith(answer(request, request.mode === 'navigate' ? '/' : pathname))
}

async function answer(request: Request, name: string): Promise<Response> {
  try {
    const response = await fetch(request)
    if (response.ok) await (await kept()).put(name, response.clone())
    return response
  } catch (error) {
    const last = await (await kept()).match(name)
    if (last === undefined) throw error
    return last
  }
}
