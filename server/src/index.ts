import { setTimeout as delay } from 'node:timers/promises'
import { TUNNEL_PATH } from '@deputy/contract/tunnel-wire'
import { originsOf, type Origins } from './config/origins.ts'
import type { Config } from './config/schema.ts'
import { openContext } from './context.ts'
import { handlers } from './handlers.ts'
import type { Swept } from './bytes/sweep.ts'
import { cdn } from './cdn/serve.ts'
import { apiApp } from './http/api.ts'
import { dispatch } from './http/dispatch.ts'
import { listen } from './http/listen.ts'
import { makeHealth } from './operations/health.ts'
import { serveControl } from './operations/control.ts'
import { serveMetrics } from './operations/metrics-port.ts'
import { roomSockets } from './rooms/socket.ts'
import type { Seams } from './seams.ts'
import { tunnelSockets } from './tunnel/socket.ts'
import { brokerSite } from './sites/broker.ts'
import { playgroundSite } from './sites/playground.ts'

export { ConfigError, readConfig, readProcessConfig } from './config/read.ts'
export { type Bytes, type BytesEntry, NotAssembled, type OpenedBytes, type PartPlace, WrongLength } from './bytes/bytes.ts'
export { openLocalBytes } from './bytes/local.ts'
export type { Config } from './config/schema.ts'
export type { Swept } from './bytes/sweep.ts'
export type { Origins } from './config/origins.ts'
export type { Seams } from './seams.ts'
export { PortTaken } from './http/listen.ts'
export type { Bus } from './bus/bus.ts'
export type { Clock } from './clock.ts'
export { localBus } from './bus/local.ts'
export type { Rows, Writer } from './rows/rows.ts'
export { checkSqlite, openSqlite } from './rows/sqlite.ts'
export { FolderLocked } from './rows/folder-lock.ts'
export { AdminError, type AdminCommand, runAdmin } from './operations/admin.ts'
export { askControl, NoServer } from './operations/control.ts'
export { openContext, type ServerContext } from './context.ts'
export { originsOf } from './config/origins.ts'
export { configTable } from './config/table.ts'
export { type RoomService, roomService } from './rooms/service.ts'
export type { RoomNeeds } from './rooms/core.ts'
export type { Connection as RoomConnection } from './rooms/connection.ts'
export type { Wire } from './rooms/wire.ts'

/** What flushing and closing may take at the end of a shutdown. */
const closingTime = 5000

/** A running server. */
export interface RunningServer {
  readonly port: number
  readonly origins: Origins
  /** Sweeps objects and files now, comparing all bytes with all rows. */
  sweep(): Promise<Swept>
  /** Turns not ready, lets requests in flight finish, flushes and releases everything, within `server.shutdown`. */
  close(): Promise<void>
}

/** Starts the server. @throws {PortTaken} {FolderLocked} */
export async function startServer(config: Config, seams: Seams = {}): Promise<RunningServer> {
  // Released in reverse when something after it fails.
  const opened: (() => Promise<void>)[] = []
  try {
    const port = await listen(config)
    opened.push(() => port.close(0))
    const origins = originsOf(config, port.port)
    const context = await openContext(config, origins, seams)
    opened.push(() => context.close())
    const api = apiApp(context.services, handlers)
    const stored = cdn(context.services)
    const health = makeHealth(context.services)
    const control = await serveControl(context)
    opened.push(() => control.close())
    const metrics = config.operations.metricsPort === 0 ? null : await serveMetrics(context.services.metrics, config.operations.metricsPort)
    // Leases of processes that are gone end before the first member comes.
    await context.rooms.start()
    const sockets = roomSockets(context.services, context.rooms)
    opened.push(async () => sockets.close())
    const tunnels = tunnelSockets(context.services, context.services.tunnel.sessions, context.services.tunnel.lanes)
    opened.push(async () => tunnels.close())
    port.serve(
      dispatch(origins, health, {
        broker: brokerSite(context.services),
        api: (request, bindings) => api.fetch(request, bindings),
        cdn: (_request, bindings) => stored(bindings),
        playground: playgroundSite(context.services),
      }),
      (request, socket, head) => (request.url?.split('?')[0] === TUNNEL_PATH ? tunnels : sockets).upgrade(request, socket, head),
    )
    context.sweeper.start()
    context.tidy.start()
    let closing: Promise<void> | undefined
    return {
      port: port.port,
      origins,
      sweep: () => context.sweeper.sweep({ full: true }),
      close: () => {
        closing ??= (async () => {
          const deadline = performance.now() + config.server.shutdown
          health.leave()
          await delay(config.server.drain)
          await context.rooms.close()
          context.services.tunnel.sessions.leave()
          sockets.close()
          tunnels.close()
          await port.close(Math.max(0, deadline - performance.now() - closingTime))
          await control.close()
          await metrics?.close()
          await context.close()
        })()
        return closing
      },
    }
  } catch (error) {
    for (const release of opened.toReversed()) await release()
    throw error
  }
}
