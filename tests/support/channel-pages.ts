import { join } from 'node:path'
import { bundle, pageOf, serveOrigins, type WebOrigins } from './web-origins.ts'

const folder = join(import.meta.dirname, '../conformance/channel')

/** Serves the channel suite: an app page and its worker on one site, the framed peer on another. Answers the app's url. */
export async function serveChannelPages(): Promise<{ readonly web: WebOrigins; readonly app: string }> {
  const web = await serveOrigins()
  const [app, broker, worker] = await Promise.all(['app-page.ts', 'broker-page.ts', 'worker-page.ts'].map(file => bundle(join(folder, file))))
  web.serve('broker', '/', pageOf(broker ?? ''))
  web.serve('app', '/worker.js', worker ?? '')
  const page = web.serve('app', '/', pageOf(app ?? ''))
  return { web, app: `${page}?broker=${encodeURIComponent(web.origin('broker'))}` }
}
