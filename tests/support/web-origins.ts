import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { build, type BuildOptions } from 'esbuild'

/** What answers a path: text or bytes (its type by the path's extension), or a listener that answers itself. */
export type Page = string | Uint8Array | ((request: IncomingMessage, response: ServerResponse) => void | Promise<void>)

/** Pages on any number of `http://<host>.localhost:<port>` origins, which are cross-site to each other. */
export interface WebOrigins extends AsyncDisposable {
  readonly port: number
  /** The origin of `host`: `origin('app')` is `http://app.localhost:<port>`. */
  origin(host: string): string
  /** Serves `page` at `path` of `host`, with further headers if any; answers its url. A page served there before is replaced. */
  serve(host: string, path: string, page: Page, headers?: Readonly<Record<string, string>>): string
  close(): Promise<void>
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.bin': 'application/octet-stream',
}

/** Starts an empty server on a free port of both loopback families; add pages with `serve`. */
export async function serveOrigins(): Promise<WebOrigins> {
  const pages = new Map<string, { page: Page; headers: Readonly<Record<string, string>>; type: string }>()
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
    const found = pages.get(`${url.hostname.replace(/\.localhost$/, '')}${url.pathname}`)
    if (!found) {
      response.writeHead(404).end()
      return
    }
    for (const [name, value] of Object.entries(found.headers)) response.setHeader(name, value)
    if (typeof found.page === 'function') {
      await found.page(request, response)
      return
    }
    if (!response.hasHeader('content-type')) response.setHeader('content-type', found.type)
    response.setHeader('cache-control', 'no-store').end(found.page)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  await new Promise<void>(listening => server.listen(0, listening))
  const { port } = server.address() as AddressInfo
  const origin = (host: string) => `http://${host}.localhost:${port}`
  const close = () =>
    new Promise<void>(closed => {
      server.close(() => closed())
      server.closeAllConnections()
    })
  return {
    port,
    origin,
    serve(host, path, page, headers = {}) {
      pages.set(`${host}${path}`, { page, headers, type: types[extname(path)] ?? 'text/html; charset=utf-8' })
      return origin(host) + path
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** An HTML page that runs `script` as a module, with `body` before it. */
export const pageOf = (script: string, body = '') =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>test</title><body>${body}<script type="module">\n${script.replaceAll('</script', '<\\/script')}\n</script></body></html>`

/** A module's source as a file's path, or as text with the folder its imports are relative to. */
export type Entry = string | { readonly source: string; readonly folder: string }

/** Bundles a browser script from our sources (condition `source`): a module with an inline source map, as text. */
export const bundle = async (entry: Entry): Promise<string> => (await built(entry, { sourcemap: 'inline' })).script

/** Bundles a browser script from our sources with the style it imports. */
export const bundleWithStyle = (entry: Entry): Promise<{ readonly script: string; readonly style: string }> => built(entry, {})

async function built(entry: Entry, options: BuildOptions): Promise<{ readonly script: string; readonly style: string }> {
  const { outputFiles = [] } = await build({
    ...(typeof entry === 'string' ? { entryPoints: [entry] } : { stdin: { contents: entry.source, resolveDir: entry.folder, loader: 'tsx' } }),
    bundle: true,
    format: 'esm',
    target: 'es2023',
    conditions: ['source'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    outdir: '/out',
    write: false,
    logLevel: 'silent',
    ...options,
  })
  const text = (extension: string): string => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? ''
  return { script: text('.js'), style: text('.css') }
}
