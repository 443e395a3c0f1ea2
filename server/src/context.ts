import { join } from 'node:path'
import { premiumReader, profileReader } from './accounts/profile-of.ts'
import { localBus } from './bus/local.ts'
import { byteClearer } from './bytes/clear.ts'
import { partsInFlight } from './bytes/in-flight.ts'
import { openLocalBytes } from './bytes/local.ts'
import { systemClock } from './clock.ts'
import type { Origins } from './config/origins.ts'
import type { Config } from './config/schema.ts'
import { accountFiles } from './files/account-files.ts'
import { clearLater } from './files/clear-later.ts'
import { sweptFiles } from './files/sweep.ts'
import { randomIds } from './ids.ts'
import { keyStateReader } from './keys/state.ts'
import { printedMail } from './mail/print.ts'
import { smtpMail } from './mail/smtp.ts'
import { sweptObjects } from './objects/sweep.ts'
import { objectTotals } from './objects/totals.ts'
import { makeLog, placeOf } from './operations/log.ts'
import { makeMetrics } from './operations/metrics.ts'
import { makeSweeper, type Sweeper } from './operations/sweeper.ts'
import { type Tidy, tidyRows } from './operations/tidy.ts'
import { type RoomService, roomService } from './rooms/service.ts'
import { openSqlite } from './rows/sqlite.ts'
import type { Seams } from './seams.ts'
import { readSecret } from './secret.ts'
import type { Services } from './services.ts'
import { sessionFinder, sessionsChanged } from './sessions/find.ts'
import { sessionIssuer } from './sessions/issue.ts'
import { sessionWatch } from './sessions/lives.ts'
import { signerFor } from './signer.ts'
import { fetchSite } from './well-known/fetch.ts'
import { sameAppCheck } from './well-known/same-app.ts'
import { embeddedNode } from './tunnel/embedded.ts'
import { tunnelGauges } from './tunnel/gauges.ts'
import { tunnelRegistry } from './tunnel/registry-of.ts'
import type { writes } from './writes.ts'

const partsAtOnce = 32

/** The services, and how to release what they hold. */
export interface ServerContext {
  readonly services: Services
  readonly sweeper: Sweeper
  readonly tidy: Tidy
  readonly rooms: RoomService
  close(): Promise<void>
}

/** Puts the server together: opens the seams and wires the areas. The one place where they meet. */
export async function openContext(config: Config, origins: Origins, seams: Seams = {}): Promise<ServerContext> {
  const clock = seams.clock ?? systemClock
  const ids = seams.ids ?? randomIds
  const log = makeLog(config.operations.log, seams.logTo ?? (line => process.stderr.write(line)), clock.now)
  const print = seams.print ?? (text => process.stdout.write(text))
  const { folder } = config.server
  const rows = await openSqlite<typeof writes>(folder, new URL(import.meta.url.endsWith('.ts') ? './writes.ts' : './writes.js', import.meta.url))
  const bytes = seams.bytes ?? (await openLocalBytes(join(folder, 'objects')))
  const fileBytes = seams.fileBytes ?? (await openLocalBytes(join(folder, 'files')))
  const bus = localBus(error => log.error('bus-listener-failed', placeOf(error)))
  const mail = seams.mail ?? (config.mail.server === '' ? printedMail(print) : smtpMail(config.mail.server, config.mail.from))
  const secret = readSecret(config.server.secret, folder)

  const base = {
    config,
    origins,
    rows,
    bytes,
    fileBytes,
    bus,
    mail,
    clock,
    ids,
    log,
    metrics: makeMetrics(),
    partsInFlight: partsInFlight(partsAtOnce),
    filePartsInFlight: partsInFlight(partsAtOnce),
    filesComing: new Set<string>(),
    signerFor: (purpose: string) => signerFor(secret, purpose),
  }
  const profileOf = profileReader(base)
  const premiumOf = premiumReader(base)
  const sessionsEnded = async (sessions: readonly string[]): Promise<void> => {
    if (sessions.length > 0) await bus.publish(sessionsChanged, sessions)
  }
  const clearObjects = byteClearer({ bytes, inFlight: base.partsInFlight, log, forget: gone => rows.write('forgetObjects', { ids: gone }) })
  const clearFiles = byteClearer({ bytes: fileBytes, inFlight: base.filePartsInFlight, log, forget: gone => rows.write('forgetFileBlobs', { ids: gone }) })
  const filesLater = clearLater(clearFiles, error => log.error('file-bytes-not-forgotten', placeOf(error)))
  const finder = sessionFinder({ ...base, sessionsEnded })
  const sessionLives = sessionWatch(base)
  const rooms = roomService({
    ...base,
    profileOf,
    findSession: finder.find,
    sessionLives,
    // A page under development lies on this machine; anything else that a site names there is none of the server's business.
    sameApp: sameAppCheck({ clock, fetchSite: url => fetchSite(url, { loopback: config.server.mode === 'development' }) }),
    later: run => void setImmediate(run),
    // The folder is locked: whoever held a room in it is gone.
    alone: true,
  })
  const roomsHear = bus.subscribe(sessionsChanged, ids => {
    rooms.sessionsChanged(ids as readonly string[]).catch((error: unknown) => log.error('rooms-sessions-failed', placeOf(error)))
  })
  const tunnel = embeddedNode({ ...base, sessionLives })
  tunnelGauges(base.metrics.registry, tunnel.sessions)
  const tunnelHears = bus.subscribe(sessionsChanged, ids => {
    // A renewed session is told of too, and its tunnel goes on.
    Promise.all((ids as readonly string[]).map(async id => ((await sessionLives(id)) ? [] : [id]))).then(
      ended => tunnel.sessions.revoke(ended.flat()),
      (error: unknown) => log.error('tunnel-sessions-failed', placeOf(error)),
    )
  })
  const services: Services = {
    ...base,
    tunnel,
    tunnelNodes: tunnelRegistry(config.tunnel, origins, tunnel),
    profileOf,
    premiumOf,
    issueSession: sessionIssuer({ ...base, profileOf }),
    findSession: finder.find,
    sessionsEnded,
    sessionLives,
    accountRooms: rooms.account,
    clearObjects,
    ...objectTotals({ ...base, profileOf }),
    dropObjects: account => rows.write('dropObjects', { account }),
    keyState: keyStateReader(base),
    clearFileBlobs: filesLater.clearSoon,
    ...accountFiles({ ...base, premiumOf }),
  }
  const sweeper = makeSweeper([sweptObjects(services), sweptFiles({ ...services, clear: clearFiles })], services)
  const tidy = tidyRows(services)
  return {
    services,
    sweeper,
    tidy,
    rooms,
    close: async () => {
      roomsHear()
      tunnelHears()
      tunnel.sessions.close()
      tunnel.tickets.close()
      await tunnel.meters.close()
      await rooms.close()
      await sweeper.close()
      await filesLater.idle()
      await tidy.close()
      finder.close()
      await bus.close()
      await mail.close()
      await rows.close()
    },
  }
}
