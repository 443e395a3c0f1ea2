/** Keeps values where the broker's own pages keep theirs. */
export const keep = (values: Readonly<Record<string, unknown>>): Promise<void> =>
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

/** Answers each message of the app's page, and says that it may begin. */
export function serve<Message>(answer: (message: Message) => Promise<unknown>): void {
  window.addEventListener('message', ({ data, ports: [port] }: MessageEvent<Message>) => {
    void answer(data).then(
      answered => port?.postMessage({ answer: answered }),
      (error: unknown) => port?.postMessage({ error: String(error) }),
    )
  })
  window.parent.postMessage('bench-ready', '*')
}
