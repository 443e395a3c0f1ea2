import type { BrowserContext } from 'playwright-core'

/** Everything the pages of a browser context send from now on: urls, headers and bodies as text. */
export function sentBy(context: BrowserContext): () => string {
  const sent: string[] = []
  context.on('request', request => {
    sent.push(request.method(), request.url(), JSON.stringify(request.headers()), request.postDataBuffer()?.toString('latin1') ?? '')
  })
  return () => sent.join('\n')
}
