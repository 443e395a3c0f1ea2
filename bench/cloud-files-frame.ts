/** Stands in the broker's partition for `cloud-files.ts`: keeps a session and the app's file keys as connecting does. */
import { appKeysOf } from '@deputy/seal'
import type { Kept } from './cloud-files-order.ts'

const keep = (values: Readonly<Record<string, unknown>>): Promise<void> =>
  new Promise((resolve, reject) => {
    const opened = indexedDB.open('deputy', 1)
    opened.onupgradeneeded = () => opened.result.createObjectStore('values')
    opened.onerror = () => reject(opened.error ?? new Error('denied'))
    opened.onsuccess = () => {
      const transaction = opened.result.transaction('values', 'readwrite')
      for (const [key, value] of Object.entries(values)) transaction.objectStore('values').put(value, key)
      transaction.oncomplete = () => {
        opened.result.close()
        resolve()
      }
    }
  })

async function take({ app, session, root }: Kept): Promise<void> {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(root), 'HKDF', false, ['deriveKey', 'deriveBits'])
  const keys = await appKeysOf({ account: session.account.id, epoch: 1, roots: [{ epoch: 1, key }] }, app)
  await keep({ [`session:${app}`]: session, [`file-keys:${app}`]: keys })
}

window.addEventListener('message', ({ data, ports: [port] }: MessageEvent<Kept>) => {
  void take(data).then(
    () => port?.postMessage({}),
    (error: unknown) => port?.postMessage({ error: String(error) }),
  )
})
window.parent.postMessage('bench-ready', '*')
