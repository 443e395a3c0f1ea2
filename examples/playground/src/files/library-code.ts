import * as storage from '@deputy/client/storage'

/** This app's objects, newest first. Another app sees none of them. */
export async function* objects() {
  let cursor: string | undefined
  do {
    const page = await storage.list({ cursor, limit: 100 })
    yield* page.objects
    cursor = page.cursor
  } while (cursor !== undefined)
}

export async function forget(url: string) {
  await storage.remove(url)
}
