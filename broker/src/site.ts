import { siteConfig, type SiteConfig } from '@deputy/contract/site-config'
import { parse } from '@deputy/contract/validate'

/** How the pages learn of their deployment; `null` while the service cannot be reached. */
export type ReadSite = (signal?: AbortSignal) => Promise<SiteConfig | null>

const patience = 4000

/** Reads `/config.json` of the page's own origin, past every cache. Never throws: what cannot be read is `null`. */
export const readSite: ReadSite = async signal => {
  const deadline = AbortSignal.timeout(patience)
  try {
    const answer = await fetch('/config.json', {
      cache: 'no-store',
      credentials: 'omit',
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    })
    return answer.ok ? parse(siteConfig, await answer.json()) : null
  } catch {
    return null
  }
}

/** The configuration read once and kept; a failed reading is tried again by the next caller. */
export function keptSite(read: ReadSite): () => Promise<SiteConfig | null> {
  let kept: Promise<SiteConfig | null> | undefined
  return async () => {
    kept ??= read()
    const site = await kept
    if (site === null) kept = undefined
    return site
  }
}

/** What the page's own html says of its build: its id, and where the worker that seals is. */
export function ownPage(): { readonly build: string; readonly sealWorker: string } {
  const meta = (name: string): string => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
  return { build: meta('deputy-build'), sealWorker: meta('deputy-seal-worker') }
}
