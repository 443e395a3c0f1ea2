/** A dedicated worker with the client library: answers `{ ask }` messages, hears every other as an app's worker would. */
import * as storage from '@deputy/client/storage'
import * as account from '@deputy/client/account'

const heard: unknown[] = []

async function answer(ask: string): Promise<unknown> {
  if (ask === 'heard') return heard
  if (ask === 'name') return (await account.info())?.name ?? null
  const { url, key } = await storage.put(new Blob(['from the worker']))
  const file = await storage.get(url, key)
  return new Response(await file.read()).text()
}

addEventListener('message', ({ data }: MessageEvent<{ ask: string } | string>) => {
  if (typeof data === 'object') void answer(data.ask).catch(String).then(postMessage)
  else heard.push(data)
})
