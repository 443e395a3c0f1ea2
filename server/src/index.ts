import { originsOf, type Origins } from './config/origins.ts'
import type { Config } from './config/schema.ts'
import { openContext } from './context.ts'
import { handlers } from './handlers.ts'
import { cdn } from './cdn/serve.ts'
import { apiApp } from './http/api.ts'
import { dispatch, type Serve } from './http/dispatch.ts'
import { listen } from './http/listen.ts'
import type { Swept } from './objects/sweep.ts'
import type { Seams } from './seams.ts'

export { ConfigError, readConfig, readProcessConfig } from './config/read.ts'
export type { Config } from './config/schema.ts'
export type { Swept } from './objects/sweep.ts'
export type { Origins } from './config/origins.ts'
export type { Seams } from './seams.ts'
export { PortTaken } from './http/listen.ts'
export { FolderLocked } from './rows/folder-lock.ts'

/** A running server. */
export interface RunningServer {
  readonly port: number
  readonly origins: Origins
  /** Sweeps objects now, comparing all bytes with all rows. */
  sweep(): Promise<Swept>
  /** Finishes what is in flight and releases everything. */
  close(): Promise<void>
}

/** Starts the server. @throws {PortTaken} {FolderLocked} */
export async function startServer(config: Config, seams: Seams = {}): Promise<RunningServer> {
  const port = await listen(config)
  try {
    const origins = originsOf(config, port.port)
    const context = await openContext(config, origins, seams)
    const api = apiApp(context.services, handlers)
    const stored = cdn(context.services)
    const none: Serve = () => new Response('not found\n', { status: 404 })
    port.serve(
      dispatch(origins, {
        broker: none,
        api: (request, bindings) => api.fetch(request, bindings),
        cdn: (_request, bindings) => stored(bindings),
        playground: none,
      }),
    )
    context.sweeper.start()
    return {
      port: port.port,
      origins,
      sweep: () => context.sweeper.sweep({ full: true }),
      close: async () => {
        await port.close(config.server.shutdown)
        await context.close()
      },
    }
  } catch (error) {
    await port.close(0)
    throw error
  }
}
