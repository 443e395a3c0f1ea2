import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, writeFileSync } from 'node:fs'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Issued } from './certificates.ts'
import { freePort } from './server-process.ts'

/** A server of the distribution on a loopback port, with its data in a folder of its own. */
export interface RealServer extends AsyncDisposable {
  readonly port: number
  /** Where it talks TLS from the first byte, or once it is asked to (PostgreSQL). */
  readonly securePort: number
}

/** The password of `postgres` in the server of `startPostgres`. */
export const postgresPassword = 'a password of the test'

const found = (name: string): string | undefined =>
  [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/sbin', '/usr/local/sbin'].map(folder => join(folder, name)).find(path => existsSync(path))

interface Started {
  readonly command: string
  readonly args: (port: number, securePort: number) => string[]
  /** What it prints once it takes connections. */
  readonly ready: RegExp
  readonly folder: string
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined
  /** The signal that ends it without waiting for its clients. */
  readonly stop: NodeJS.Signals
}

async function started({ command, args, ready, folder, owner, stop }: Started): Promise<RealServer> {
  // Another process may take the port before the server does.
  for (let tries = 0; tries < 3; tries += 1) {
    const [port, securePort] = [await freePort(), await freePort()]
    const child = spawn(command, args(port, securePort), { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], ...owner })
    if (!(await isReady(child, ready))) continue
    return {
      ...{ port, securePort },
      [Symbol.asyncDispose]: async () => {
        const over = once(child, 'exit')
        if (child.exitCode === null && child.kill(stop)) await over
        await rm(folder, { recursive: true, force: true })
      },
    }
  }
  throw new Error(`${command} did not start`)
}

function isReady(child: ChildProcess, ready: RegExp): Promise<boolean> {
  return new Promise(resolve => {
    let said = ''
    const read = (data: Buffer): void => {
      if (said.length < 100_000) said += data.toString()
      if (ready.test(said)) resolve(true)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.on('error', () => resolve(false))
    child.on('exit', () => resolve(false))
  })
}

const folderOf = (name: string): Promise<string> => mkdtemp(join(tmpdir(), `deputy-${name}-`))
type Identity = Pick<Issued, 'key' | 'cert'>
async function identityIn(folder: string, { key, cert }: Identity): Promise<readonly [key: string, cert: string]> {
  const files = [join(folder, 'key'), join(folder, 'cert')] as const
  await Promise.all([writeFile(files[0], key, { mode: 0o600 }), writeFile(files[1], cert)])
  return files
}

/** A Redis, or nothing where it is not installed. */
export async function startRedis(identity: Identity): Promise<RealServer | undefined> {
  const command = found('redis-server')
  if (command === undefined) return undefined
  const folder = await folderOf('redis')
  const [key, cert] = await identityIn(folder, identity)
  const args = (port: number, securePort: number): string[] => [
    ...['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder],
    ...['--tls-port', String(securePort), '--tls-key-file', key, '--tls-cert-file', cert, '--tls-ca-cert-file', cert, '--tls-auth-clients', 'no'],
  ]
  return started({ command, args, ready: /ready to accept connections/i, folder, stop: 'SIGTERM' })
}

/** A Mosquitto, or nothing where it is not installed. */
export async function startMosquitto(identity: Identity): Promise<RealServer | undefined> {
  const command = found('mosquitto')
  if (command === undefined) return undefined
  const folder = await folderOf('mosquitto')
  const [key, cert] = await identityIn(folder, identity)
  const file = join(folder, 'conf')
  const args = (port: number, securePort: number): string[] => {
    const secured = ['', `keyfile ${key}`, `certfile ${cert}`]
    writeFileSync(file, ['allow_anonymous true', 'user root', `listener ${port} 127.0.0.1`, `listener ${securePort} 127.0.0.1`, ...secured].join('\n'))
    return ['-v', '-c', file]
  }
  return started({ command, args, ready: /mosquitto version \S+ running/, folder, stop: 'SIGTERM' })
}

/**
 * A PostgreSQL that wants a password (SCRAM) and offers TLS as that server, or nothing where it is not installed. It refuses to run as root and so runs
 * as `postgres` then.
 */
export async function startPostgres(identity: Identity): Promise<RealServer | undefined> {
  const binaries = globSync('/usr/lib/postgresql/*/bin')
    .toSorted()
    .findLast(path => existsSync(join(path, 'postgres')))
  if (binaries === undefined) return undefined
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined
  const folder = await folderOf('postgres')
  const words = join(folder, 'password')
  await writeFile(words, postgresPassword)
  const [keyFile, certFile] = await identityIn(folder, identity)
  if (owner !== undefined) for (const path of [folder, words, keyFile, certFile]) await chown(path, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const setUp = ['-D', data, '-A', 'scram-sha-256', `--pwfile=${words}`, '-U', 'postgres', '-E', 'UTF8', '--no-sync', '--locale=C.UTF-8']
  const initialised = spawn(join(binaries, 'initdb'), setUp, { cwd: folder, stdio: 'ignore', ...owner })
  const [status] = (await once(initialised, 'exit')) as [number | null]
  if (status !== 0) throw new Error(`initdb failed with ${status}`)
  const args = (port: number): string[] => [
    ...['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${folder}`, '-c', 'fsync=off'],
    ...['-c', 'ssl=on', '-c', `ssl_key_file=${keyFile}`, '-c', `ssl_cert_file=${certFile}`],
  ]
  const server = await started({ command: join(binaries, 'postgres'), args, ready: /ready to accept connections/, folder, owner, stop: 'SIGINT' })
  return { ...server, securePort: server.port }
}
