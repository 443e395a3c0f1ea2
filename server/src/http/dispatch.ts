import type { HttpBindings } from '@hono/node-server'
import type { Origins } from '../config/origins.ts'
import type { Health } from '../operations/health.ts'

/** Answers the requests of one host. */
export type Serve = (request: Request, bindings: HttpBindings) => Response | Promise<Response>
/** Who answers on each origin. */
export type Sites = { readonly [Name in keyof Origins]: Serve }

/** Hands each request to the origin its Host header names; an unknown host is answered 421. */
export function dispatch(origins: Origins, health: Pick<Health, 'serve'>, sites: Sites): Serve {
  const hosts = new Map<string, Serve>()
  for (const name of Object.keys(origins) as (keyof Origins)[]) {
    const origin = origins[name]
    if (origin !== null) hosts.set(new URL(origin).host, sites[name])
  }
  return (request, bindings) => {
    const healthy = health.serve(bindings.incoming.url ?? '/')
    if (healthy !== null) return healthy
    const serve = hosts.get((bindings.incoming.headers.host ?? '').toLowerCase())
    return serve === undefined
      ? new Response('this host is not served here\n', { status: 421, headers: { 'content-type': 'text/plain' } })
      : serve(request, bindings)
  }
}
