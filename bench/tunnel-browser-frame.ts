/** Stands in the broker's partition for `tunnel-browser.ts`: keeps what connecting and a yes would keep. */
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

window.addEventListener('message', ({ data, ports: [port] }: MessageEvent<Readonly<Record<string, unknown>>>) => {
  void keep(data).then(
    () => port?.postMessage({}),
    (error: unknown) => port?.postMessage({ error: String(error) }),
  )
})
window.parent.postMessage('bench-ready', '*')
