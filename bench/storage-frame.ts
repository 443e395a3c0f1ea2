/** Stands in the broker's partition for `storage.ts`: keeps the session as connecting does, and passes raw work on to its worker. */
const worker = (): Worker => {
  const policies = (globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } } })
    .trustedTypes
  const policy = policies.createPolicy(`bench-${crypto.randomUUID()}`, { createScriptURL: (text: string) => text })
  return new Worker(policy.createScriptURL('/assets/bench-worker-00000000.js'), { type: 'module' })
}

const keep = (key: string, session: unknown): Promise<void> =>
  new Promise((resolve, reject) => {
    const opened = indexedDB.open('deputy', 1)
    opened.onupgradeneeded = () => opened.result.createObjectStore('values')
    opened.onerror = () => reject(opened.error ?? new Error('denied'))
    opened.onsuccess = () => {
      const transaction = opened.result.transaction('values', 'readwrite')
      transaction.objectStore('values').put(session, key)
      transaction.oncomplete = () => {
        opened.result.close()
        resolve()
      }
    }
  })

const raw = (order: unknown): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const made = worker()
    made.onerror = event => reject(new Error(event.message))
    made.onmessage = event => {
      made.terminate()
      resolve(event.data)
    }
    made.postMessage(order)
  })

window.addEventListener('message', ({ data, ports: [port] }: MessageEvent<{ key?: string; session?: unknown; order?: unknown }>) => {
  const work = data.key === undefined ? raw(data.order) : keep(data.key, data.session)
  void work.then(answer => port?.postMessage({ answer })).catch((error: unknown) => port?.postMessage({ error: String(error) }))
})
window.parent.postMessage('bench-ready', '*')
