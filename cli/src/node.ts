import { mintNodeSecret, readNodeConfig, startNode } from '@deputy/server/node'
import { type Command, Misuse, withSettings } from './command.ts'
import { stopped } from './stopped.ts'

/** Runs a tunnel node, or makes the secret of one. */
export const node: Command = {
  about: 'runs a tunnel node beside a server',
  help: `deputy node [--config <file>]
deputy node secret <id> <origin>

Runs a node that opens connections for the apps of a server elsewhere. It needs the settings DEPUTY_NODE_ID, _ORIGIN, _API
and _SECRET, keeps nothing, and runs until it is told to stop.

  secret     makes the secret of a node: prints the variable of the node, and the entry that the server's
             DEPUTY_TUNNEL_NODES is to list. The server keeps a hash only.

  --port     port to listen on
  --config   a JSON file of settings`,
  options: { config: { type: 'string' }, port: { type: 'string' } },
  run: async (args, { env, out, stop }) => {
    const [action, id, origin] = args.positionals
    if (action === 'secret') {
      if (id === undefined || !/^[a-z0-9-]{1,64}$/.test(id)) throw new Misuse('secret needs an id of small letters, digits and hyphens')
      if (origin === undefined || !URL.canParse(origin) || new URL(origin).origin !== origin)
        throw new Misuse('secret needs the origin of the node, such as https://north.example')
      const { secret, hash } = mintNodeSecret()
      out(`For the node:\n  DEPUTY_NODE_SECRET=${secret}\nFor the list DEPUTY_TUNNEL_NODES of the server:\n  ${JSON.stringify({ id, origin, hash })}`)
      return 0
    }
    if (action !== undefined) throw new Misuse(`there is no action ${action}`)
    const running = await startNode(readNodeConfig(withSettings(env, args)))
    out(`Node ${running.id} serves ${running.origin} on port ${running.port}`)
    const ending = await Promise.race([stopped(stop).then(() => 0), running.replaced.then(() => 1)])
    await running.close()
    return ending
  },
}
