/** A dedicated worker with the client library: answers `{ ask }` messages, hears every other as an app's worker would. */
import * as storage from '@deputy/client/storage'
import * as account from '@deputy/client/account'

const heard: unknown[] = []
addEventListener('message', async ({ data }: MessageEvent<{ ask?: string } | string>) => {
  const ask = typeof data === 'object' ? data.ask : undefined
  if (ask === undefined) return void heard.push(data)
  try {
    if (ask === 'heard') return postMessage(heard)
    if (ask === 'name') return postMessage((await account.info())?.name ?? null)
    const { url, key } = await storage.put(new Blob(['from the worker']))
    const file = await storage.get(url, key)
    return postMessage(await new Response(await file.read()).text())
  } catch (error) {
    return postMessage(String(error))
  }
})
