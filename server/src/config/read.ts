import { readFileSync } from 'node:fs'
import type { Key } from './keys.ts'
import { type Config, schema, variableOf } from './schema.ts'

/** Every fault of a configuration at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(`the configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map(fault => `  ${fault}`).join('\n')}`)
    this.faults = faults
  }
}

/** Where a configuration is read from: JSON (groups of keys) and environment variables, which win. */
export interface ConfigSources {
  readonly file?: unknown
  readonly env?: Readonly<Record<string, string | undefined>>
}

/**
 * Reads and checks the whole configuration. Unknown keys, in the JSON and among variables that start with `DEPUTY_`, are faults.
 * @throws {ConfigError} naming all faults.
 */
export function readConfig({ file = {}, env = {} }: ConfigSources = {}): Config {
  const faults: string[] = []
  const groups = isRecord(file) ? file : {}
  if (!isRecord(file)) faults.push('the configuration file must hold a JSON object')
  const known = new Set(['DEPUTY_CONFIG'])
  const config: Record<string, Record<string, unknown>> = {}
  for (const [group, keys] of Object.entries(schema)) {
    const given = groups[group] ?? {}
    if (!isRecord(given)) faults.push(`${group}: expected an object`)
    const values: Record<string, unknown> = {}
    for (const [name, key] of Object.entries<Key>(keys)) {
      const variable = variableOf(group, name)
      known.add(variable)
      if (key.secret) known.add(`${variable}_FILE`)
      values[name] = readKey(key, `${group}.${name}`, variable, isRecord(given) ? given[name] : undefined, env, faults)
    }
    if (isRecord(given)) faults.push(...Object.keys(given).flatMap(name => (Object.hasOwn(keys, name) ? [] : [`${group}.${name}: there is no such key`])))
    config[group] = values
  }
  faults.push(...Object.keys(groups).flatMap(group => (Object.hasOwn(schema, group) ? [] : [`${group}: there is no such group`])))
  faults.push(
    ...Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && name.startsWith('DEPUTY_') && !known.has(name) ? [`${name}: there is no such variable`] : [],
    ),
  )
  if (faults.length === 0) faults.push(...together(config as unknown as Config))
  if (faults.length > 0) throw new ConfigError(faults)
  return config as unknown as Config
}

/**
 * The configuration as the process was started: `DEPUTY_CONFIG` names an optional JSON file. What neither it nor the environment
 * says is taken from `defaults`, groups of keys, and then from the schema.
 * @throws {ConfigError} naming all faults.
 */
export function readProcessConfig(env: NodeJS.ProcessEnv, defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {}): Config {
  const file = readFile(env['DEPUTY_CONFIG'])
  if (!isRecord(file)) return readConfig({ file, env })
  const groups = new Set([...Object.keys(defaults), ...Object.keys(file)])
  const merged = [...groups].map(group => {
    const given = file[group]
    return [group, given === undefined || isRecord(given) ? { ...defaults[group], ...given } : given]
  })
  return readConfig({ file: Object.fromEntries(merged), env })
}

function readFile(path: string | undefined): unknown {
  if (path === undefined) return {}
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new ConfigError([`DEPUTY_CONFIG: ${path} cannot be read as JSON`])
  }
}

function readKey(key: Key, place: string, variable: string, inFile: unknown, env: Readonly<Record<string, string | undefined>>, faults: string[]): unknown {
  const [value, source] = find(key, place, variable, inFile, env, faults)
  if (value === undefined) return key.fallback
  try {
    return key.read(value)
  } catch (error) {
    faults.push(`${source}: ${error instanceof Error ? error.message : 'unreadable'}`)
    return key.fallback
  }
}

function find(
  key: Key,
  place: string,
  variable: string,
  inFile: unknown,
  env: Readonly<Record<string, string | undefined>>,
  faults: string[],
): [unknown, string] {
  const path = key.secret ? env[`${variable}_FILE`] : undefined
  if (path !== undefined) {
    if (env[variable] !== undefined) faults.push(`${variable}: said both as a value and as a file`)
    try {
      return [readFileSync(path, 'utf8').trim(), `${variable}_FILE`]
    } catch {
      faults.push(`${variable}_FILE: ${path} cannot be read`)
      return [undefined, variable]
    }
  }
  return env[variable] === undefined ? [inFile, place] : [env[variable], variable]
}

/** What must hold between keys. */
function together(config: Config): string[] {
  const faults: string[] = []
  const { server, origins, sites, mail, tunnel } = config
  if (server.secret !== '' && server.secret.length < 32) faults.push('server.secret: expected at least 32 characters')
  const said = Object.values(origins).filter(origin => origin !== '')
  if (new Set(said).size < said.length) faults.push('origins: each must be different from the others')
  if (config.sessions.grace >= config.sessions.renew) faults.push('sessions.grace: must be shorter than sessions.renew')
  const ids = [tunnel.node, ...tunnel.nodes.map(({ id }) => id)]
  if (new Set(ids).size < ids.length) faults.push('tunnel.nodes: each node must have an id of its own')
  if (tunnel.nodes.some(({ origin }) => !URL.canParse(origin) || new URL(origin).origin !== origin)) faults.push('tunnel.nodes: an origin has no path')
  if (tunnel.beat * 2 > tunnel.silence) faults.push('tunnel.silence: must be at least twice tunnel.beat')
  if (server.mode === 'production') {
    for (const name of ['broker', 'api', 'cdn'] as const) {
      if (origins[name] === '') faults.push(`origins.${name}: must be said in production (${variableOf('origins', name)})`)
      else if (!origins[name].startsWith('https://')) faults.push(`origins.${name}: must be https in production`)
    }
    if (tunnel.nodes.some(({ origin }) => !origin.startsWith('https://'))) faults.push('tunnel.nodes: the origins must be https in production')
    if (sites.broker === '') faults.push('sites.broker: must be said in production')
    if (mail.server === '') faults.push('mail.server: must be said in production, codes cannot be printed there')
  }
  return faults
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
