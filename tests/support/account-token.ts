import type { Page } from 'playwright-core'

/** The account's token in this browser's windows, to look at the service with. */
export const accountToken = (page: Page): Promise<string> =>
  page.evaluate(
    () =>
      new Promise<string>((resolve, reject) => {
        const opened = indexedDB.open('deputy', 1)
        opened.onerror = () => reject(opened.error ?? new Error('denied'))
        opened.onsuccess = () => {
          const request = opened.result.transaction('values').objectStore('values').get('session:account')
          request.onsuccess = () => {
            opened.result.close()
            resolve((request.result as { token: string }).token)
          }
        }
      }),
  )
