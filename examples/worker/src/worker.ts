import * as storage from '@deputy/client/storage'

addEventListener('message', async ({ data }: MessageEvent<unknown>) => {
  if (data !== 'store') return
  const numbers = new Blob([Float64Array.from({ length: 1000 }, Math.random)])
  const { url, size } = await storage.put(numbers)
  postMessage(`${size} bytes at ${url}`)
})
