import { mkdtemp, rm } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiErrorCode, Route, RouteAnswer, RouteBody } from '@deputy/contract/api'
import { pathOf } from '@deputy/contract/api'
import { type Config, type Origins, readConfig, type Seams, startServer, type Swept } from '@deputy/server'

/** Groups of configuration keys as the configuration file has them. */
export type ConfigFile = { readonly [Group in keyof Config]?: { readonly [Name in keyof Config[Group]]?: unknown } }

/** An answer read whole. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  readonly text: string
}

/** What a request may say. */
export interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** A server on a free port with a folder of its own, and a client that speaks to it over real sockets. */
export interface TestServer {
  readonly port: number
  readonly origins: Origins
  readonly folder: string
  /** Everything the server logged. */
  readonly log: string[]
  /** Every letter it printed. */
  readonly letters: string[]
  /** A request to a url of one of the origins. */
  fetch(url: string, options?: RequestOptions): Promise<Answer>
  /** Calls a route as the broker's pages do: the answer, or the refusal with its status. */
  call<R extends Route>(route: R, body: RouteBody<R>, token?: string): Promise<CallAnswer<R>>
  /** Sweeps objects now, comparing all bytes with all rows. */
  sweep(): Promise<Swept>
  /** Stops and starts again on the same folder, with the configuration changed by `file`. */
  restart(file?: ConfigFile): Promise<void>
  /** Stops and keeps the folder. */
  stop(): Promise<void>
  /** Stops, and removes the folder. */
  close(): Promise<void>
}

/** `answer` when the call succeeded, else `error`. */
export type CallAnswer<R extends Route> =
  | { readonly status: 200; readonly answer: RouteAnswer<R>; readonly error?: never; readonly message?: never }
  | { readonly status: number; readonly error: ApiErrorCode; readonly message: string; readonly answer?: never }

/** Starts a server for tests. */
export async function startTestServer(file: ConfigFile = {}, seams: Seams = {}): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'deputy-test-'))
  const log: string[] = []
  const letters: string[] = []
  const start = (more: ConfigFile) => {
    const groups = new Set([...Object.keys(file), ...Object.keys(more)]) as Set<keyof Config>
    const merged = Object.fromEntries([...groups].map(group => [group, { ...file[group], ...more[group] }]))
    const config = readConfig({ file: { ...merged, server: { port: 0, hosts: ['127.0.0.1'], folder, ...merged['server'] } } })
    return startServer(config, { logTo: line => log.push(line), print: text => letters.push(text), ...seams })
  }
  let running = await start({})
  const send = (url: string, options: RequestOptions = {}): Promise<Answer> => fetchFrom(running.port, url, options)
  return {
    get port() {
      return running.port
    },
    get origins() {
      return running.origins
    },
    folder,
    log,
    letters,
    fetch: send,
    call: (route, body, token) => callServer(running, route, body, token),
    sweep: () => running.sweep(),
    restart: async (more = {}) => {
      await running.close()
      running = await start(more)
    },
    stop: () => running.close(),
    close: async () => {
      await running.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Calls a route as the broker's pages do: the answer, or the refusal with its status. */
export async function callServer<R extends Route>(
  { port, origins }: Pick<TestServer, 'port' | 'origins'>,
  route: R,
  body: RouteBody<R>,
  token?: string,
): Promise<CallAnswer<R>> {
  const answer = await fetchFrom(port, `${origins.api}${pathOf(route)}`, {
    method: 'POST',
    headers: { origin: origins.broker, 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  const read = JSON.parse(answer.text) as never
  return answer.status === 200 ? { status: 200, answer: read } : { status: answer.status, ...(read as { error: ApiErrorCode; message: string }) }
}

/** A request on a socket of its own to the loopback port, with the url's host as Host header, so that no name needs to resolve. */
export function fetchFrom(port: number, url: string, { method = 'GET', headers = {}, body }: RequestOptions = {}): Promise<Answer> {
  const { host, pathname, search } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port, method, path: `${pathname}${search}`, headers: { host, ...headers }, agent: false }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const whole = Buffer.concat(chunks)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: whole, text: whole.toString('utf8') })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
