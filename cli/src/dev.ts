import { join } from 'node:path'
import { buildPages } from '@deputy/broker'
import { readProcessConfig, startServer } from '@deputy/server'
import { type Command, withSettings } from './command.ts'
import { startDemoPeer } from './demo-peer.ts'
import { stopped } from './stopped.ts'

const defaultFolder = '.deputy'

/** Builds the pages and runs everything on this machine. */
export const dev: Command = {
  about: 'builds and runs everything on this machine',
  help: `deputy dev [--port <port>] [--folder <folder>]

Builds the pages and runs the server with the playground until it is interrupted. Sign-in codes are printed here.
A small peer on free ports of this machine (a page, a store, UDP echo) is what the playground's network demo talks to; the tunnel may reach
exactly these ports.

  --port     port of all origins, 4400 unless said; 0 takes a free one
  --folder   where everything is kept, ${defaultFolder} unless said; remove it to begin anew
  --config   a JSON file of settings`,
  options: { port: { type: 'string' }, folder: { type: 'string' }, config: { type: 'string' } },
  run: async (args, { env, out, stop }) => {
    const own = withSettings(env, args)
    const folder = own['DEPUTY_SERVER_FOLDER'] ?? defaultFolder
    const sites = { broker: join(folder, 'sites', 'broker'), playground: join(folder, 'sites', 'playground') }
    const read = readProcessConfig(own, { sites, operations: { log: 'warn' } })
    // Nobody but this machine's own person may lend loopback ports to apps.
    const buildPlayground = await findPlayground()
    const peer = buildPlayground !== undefined && read.server.mode === 'development' ? await startDemoPeer() : undefined
    const config = peer === undefined ? read : { ...read, tunnel: { ...read.tunnel, allow: [...read.tunnel.allow, ...peer.places] } }
    const server = await startServer(config, { print: out }).catch(async (error: unknown) => {
      await peer?.close()
      throw error
    })
    try {
      await buildPages({ outDir: config.sites.broker, minify: false })
      await buildPlayground?.({ outDir: config.sites.playground, broker: server.origins.broker, peer: peer?.ports })
      out(`
  Deputy runs on this machine.

    playground   ${server.origins.playground ?? 'none'}
    account      ${server.origins.broker}/account
    api          ${server.origins.api}
    objects      ${server.origins.cdn}

  Everything is kept in ${folder}. Sign-in codes are printed here. Ctrl+C stops it.
`)
      await stopped(stop)
    } finally {
      await server.close()
      await peer?.close()
    }
    return 0
  },
}

/** What builds the playground, where it is there: it is part of the project, not of the published command. */
async function findPlayground() {
  try {
    return (await import('@deputy/playground/build')).buildPlayground
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}
