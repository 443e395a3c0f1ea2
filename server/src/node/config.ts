import { ConfigError, readProcessConfig } from '../config/read.ts'
import { type Config, variableOf } from '../config/schema.ts'

/** The configuration of a process that is a node alone, as it was started. @throws {ConfigError} naming all faults. */
export function readNodeConfig(env: NodeJS.ProcessEnv): Config {
  const config = readProcessConfig(env)
  const faults = nodeFaults(config)
  if (faults.length > 0) throw new ConfigError(faults)
  return config
}

const isLocal = (origin: string): boolean => /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(origin).hostname)

function nodeFaults({ node }: Config): string[] {
  const said = (['id', 'origin', 'api', 'secret'] as const).flatMap(name =>
    node[name] === '' ? [`node.${name}: must be said (${variableOf('node', name)})`] : [],
  )
  const plain = (['origin', 'api'] as const).flatMap(name =>
    node[name].startsWith('http:') && !isLocal(node[name]) ? [`node.${name}: must be https, unless it is on this machine`] : [],
  )
  const shapes = [
    ...(node.id === '' || /^[a-z0-9-]{1,64}$/.test(node.id) ? [] : ['node.id: expected small letters, digits and hyphens']),
    ...(node.secret === '' || /^[A-Za-z0-9_-]{43}$/.test(node.secret) ? [] : ['node.secret: expected what "deputy node secret" printed']),
    ...(node.title.length <= 100 ? [] : ['node.title: expected at most 100 characters']),
  ]
  return [...said, ...plain, ...shapes]
}
