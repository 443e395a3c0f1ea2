import { readProcessConfig, startServer } from '@deputy/server'

/** A server in a process of its own: configured by the environment, it prints where it listens as one line of JSON. */
const ahead = Number(process.env['CLOCK_AHEAD'] ?? 0)
const server = await startServer(readProcessConfig(process.env), { clock: { now: () => Date.now() + ahead } })
process.stdout.write(`${JSON.stringify({ port: server.port, origins: server.origins })}\n`)
process.once('SIGTERM', () => {
  void server.close().then(() => process.exit(0))
})
