import { account, relayWorker } from '@deputy/client'

const worker = new Worker('dist/worker.js', { type: 'module' })
const out = document.getElementById('out') as HTMLOutputElement
worker.addEventListener('message', ({ data }: MessageEvent<string>) => (out.value = data))

document.getElementById('store')!.addEventListener('click', async () => {
  if (!(await account.login())) return
  // From here on the worker has a line of its own to the broker, with this page's identity.
  await relayWorker(worker)
  worker.postMessage('store')
})
