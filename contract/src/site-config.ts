import type { Received } from './shape.ts'
import { list, object, string } from './shape.ts'

/** What `GET /config.json` on the broker's host tells the broker's pages of their deployment. */
export const siteConfig = /* @__PURE__ */ object({
  /** Origins, without a trailing slash. */
  broker: string({ max: 300 }),
  api: string({ max: 300 }),
  cdn: string({ max: 300 }),
  /** Identifies the build of the pages; a change announces an update (SHL-1). */
  build: string({ min: 1, max: 100 }),
  /** Outside sign-in providers on offer. */
  providers: list(object({ id: string({ max: 64 }), title: string({ max: 100 }) }), { max: 20 }),
})
export type SiteConfig = Received<typeof siteConfig>
