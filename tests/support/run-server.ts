import { readProcessConfig, startServer } from '@deputy/server'

/** A server in a process of its own: configured by the environment, it prints where it listens as one line of JSON. */
const server = await startServer(readProcessConfig(process.env))
process.stdout.write(`${JSON.stringify({ port: server.port, origins: server.origins })}\n`)
process.once('SIGTERM', () => {
  void server.close().then(() => process.exit(0))
})
