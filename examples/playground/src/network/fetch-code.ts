import * as cloud from '@deputy/client/cloud'

export interface Told {
  head(response: Response, ms: number): void
  body(chunk: Uint8Array, ms: number): void
}

/**
 * Fetches any site through the tunnel, whether it knows of CORS or not,
 * and reads the answer as it comes. `init` is the platform's, and `spread`.
 */
export async function ask(url: string, init: cloud.ProxyFetchInit, told: Told) {
  const began = performance.now()
  const response = await cloud.fetch(url, init)
  told.head(response, performance.now() - began)
  const reader = response.body?.getReader()
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) return
    told.body(value, performance.now() - began)
  }
}
