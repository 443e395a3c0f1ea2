import { configTable, readProcessConfig, startServer } from '@deputy/server'
import { type Command, withSettings } from './command.ts'
import { stopped } from './stopped.ts'

/** Runs the server in production. */
export const up: Command = {
  about: 'runs the server in production',
  help: `deputy up [--config <file>]

Checks the whole configuration, prints what differs from the defaults (secrets hidden) and runs until it is told to stop.
The pages must have been built before, into the folder of DEPUTY_SITES_BROKER.

  --config   a JSON file of settings`,
  options: { config: { type: 'string' }, port: { type: 'string' }, folder: { type: 'string' } },
  run: async (args, { env, out, stop }) => {
    const config = readProcessConfig(withSettings(env, args), { server: { mode: 'production' } })
    const changed = configTable(config).filter(line => line.changed)
    out(changed.map(({ variable, value }) => `${variable} = ${value}`).join('\n'))
    const server = await startServer(config)
    out(`Deputy serves ${server.origins.broker} on port ${server.port}`)
    await stopped(stop)
    await server.close()
    return 0
  },
}
