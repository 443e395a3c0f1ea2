import { lookup as resolve } from 'node:dns/promises'
import { request as plainRequest, type RequestOptions } from 'node:http'
import { request as secureRequest } from 'node:https'
import { isIP } from 'node:net'
import { isLoopback, isPublicAddress } from './addresses.ts'

const deadline = 4000
const largest = 65_536

/** What a site answered: its JSON, `none` when it says that there is no such thing, `unreachable` when nothing can be concluded. */
export type Fetched = { readonly value: unknown } | 'none' | 'unreachable'

/**
 * Fetches JSON from another site. Only public addresses are connected to, and those of this machine when `loopback` says so: the name is resolved
 * once, every address is checked and the connection goes to a checked one. No redirect is followed, nothing is sent along.
 */
export async function fetchSite(url: URL, { loopback }: { loopback: boolean }): Promise<Fetched> {
  const isSecure = url.protocol === 'https:'
  if (!isSecure && url.protocol !== 'http:') return 'unreachable'
  const timeout = AbortSignal.timeout(deadline)
  const address = await Promise.race([addressOf(url, loopback), whenAborted(timeout)])
  if (address === null) return 'unreachable'
  const options: RequestOptions = {
    host: address,
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, accept: 'application/json' },
    agent: false,
    signal: timeout,
  }
  return new Promise(answer => {
    const sent = (isSecure ? secureRequest : plainRequest)({ ...options, ...(isSecure ? { servername: url.hostname } : {}) }, response => {
      const { statusCode: status = 0 } = response
      if (status !== 200) {
        response.destroy()
        answer(status >= 400 && status < 500 && status !== 408 && status !== 429 ? 'none' : 'unreachable')
        return
      }
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        size += chunk.length
        if (size > largest) {
          response.destroy()
          answer('none')
        }
      })
      response.on('error', () => answer('unreachable'))
      response.on('end', () => answer(read(Buffer.concat(chunks))))
    })
    sent.on('error', () => answer('unreachable'))
    sent.end()
  })
}

const read = (body: Buffer): Fetched => {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) }
  } catch {
    return 'none'
  }
}

const whenAborted = (signal: AbortSignal): Promise<null> => new Promise(resolve => signal.addEventListener('abort', () => resolve(null), { once: true }))

/** An address of the host that may be connected to, or null. One that may not among several refuses them all. */
async function addressOf(url: URL, loopback: boolean): Promise<string | null> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const may = (address: string): boolean => isPublicAddress(address) || (loopback && isLoopback(address))
  if (isIP(host) !== 0) return may(host) ? host : null
  // Names below localhost are this machine by definition, whatever a resolver knows of them.
  if (host === 'localhost' || host.endsWith('.localhost')) return loopback ? '127.0.0.1' : null
  try {
    const found = await resolve(host, { all: true })
    return found.length > 0 && found.every(({ address }) => may(address)) ? (found[0]?.address ?? null) : null
  } catch {
    return null
  }
}
