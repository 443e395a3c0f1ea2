import { type SiteConfig, siteConfig } from '@deputy/contract/site-config'
import { parse } from '@deputy/contract/validate'
import { answer } from '../http/answer.ts'
import type { Serve } from '../http/dispatch.ts'
import type { Services } from '../services.ts'
import { fileAnswer, type SiteFolder, siteFolder } from './folder.ts'
import { brokerHeaders, brokerPages, type BrokerPage } from './headers.ts'
import { methodNotAllowed, notFound } from './plain.ts'

/** Serves the broker's pages `/frame`, `/connect-button`, `/sign-in`, `/consent` and `/account`, their assets, and `/config.json`. */
export function brokerSite({ config, origins }: Pick<Services, 'config' | 'origins'>): Serve {
  const folder = siteFolder(config.sites.broker)
  const plain = brokerHeaders(origins, null)
  const nodes = config.tunnel.nodes.map(({ origin }) => origin)
  const pages = new Map(
    (Object.keys(brokerPages) as BrokerPage[]).map(name => [`/${name}`, { file: `${name}.html`, headers: brokerHeaders(origins, name, nodes) }]),
  )
  return async request => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed(plain)
    const { pathname } = new URL(request.url)
    if (pathname === '/config.json') return answer(parse(siteConfig, await siteOf({ config, origins }, folder)), 200, plain)
    if (pathname === '/') return new Response(null, { status: 302, headers: { ...plain, location: '/account' } })
    // Browsers ask for it by themselves; a 404 would stand in every console.
    if (pathname === '/favicon.ico') return new Response(null, { status: 204, headers: plain })
    const page = pages.get(pathname)
    const path = page?.file ?? pathname.slice(1)
    // A page is served under its own name only, with the headers that belong to it.
    const file = page === undefined && path.endsWith('.html') ? null : await folder.read(path)
    return file === null ? notFound(plain) : fileAnswer(file, request, page?.headers ?? plain)
  }
}

/** What the pages are told of their deployment; the build is the one that the frame's own page names. */
async function siteOf({ config, origins }: Pick<Services, 'config' | 'origins'>, folder: SiteFolder): Promise<SiteConfig> {
  const frame = await folder.read('frame.html')
  const named = frame === null ? undefined : /<meta name="deputy-build" content="([^"]{1,100})"/.exec(new TextDecoder().decode(frame.body))?.[1]
  return {
    broker: origins.broker,
    api: origins.api,
    cdn: origins.cdn,
    build: named ?? frame?.etag.replaceAll('"', '') ?? 'none',
    providers: config.accounts.providers.map(({ id, title }) => ({ id, title })),
  }
}
