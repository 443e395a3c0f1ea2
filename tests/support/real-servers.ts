import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Issued } from './certificates.ts'
import { freePort } from './server-process.ts'

/** A server of the distribution on a loopback port, with its data in a folder of its own. */
export interface RealServer extends AsyncDisposable {
  readonly port: number
}

/** The password of `postgres` in the server of `startPostgres`. */
export const postgresPassword = 'a password of the test'

const found = (name: string): string | undefined =>
  [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/sbin', '/usr/local/sbin'].map(folder => join(folder, name)).find(path => existsSync(path))

interface Started {
  readonly command: string
  readonly args: (port: number) => string[]
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
    const port = await freePort()
    const child = spawn(command, args(port), { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], ...owner })
    if (!(await isReady(child, ready))) continue
    return {
      port,
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

/** A Redis, or nothing where it is not installed. */
export async function startRedis(): Promise<RealServer | undefined> {
  const command = found('redis-server')
  if (command === undefined) return undefined
  const folder = await folderOf('redis')
  const args = (port: number): string[] => ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
  return started({ command, args, ready: /ready to accept connections/i, folder, stop: 'SIGTERM' })
}

/** A Mosquitto, or nothing where it is not installed. */
export async function startMosquitto(): Promise<RealServer | undefined> {
  const command = found('mosquitto')
  if (command === undefined) return undefined
  const folder = await folderOf('mosquitto')
  return started({ command, args: port => ['-v', '-p', String(port)], ready: /mosquitto version \S+ running/, folder, stop: 'SIGTERM' })
}

/**
 * A PostgreSQL that wants a password (SCRAM) and offers TLS as that server, or nothing where it is not installed. It refuses to run as root and so runs
 * as `postgres` then.
 */
export async function startPostgres({ key, cert }: Pick<Issued, 'key' | 'cert'>): Promise<RealServer | undefined> {
  const binaries = globSync('/usr/lib/postgresql/*/bin')
    .toSorted()
    .findLast(path => existsSync(join(path, 'postgres')))
  if (binaries === undefined) return undefined
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined
  const folder = await folderOf('postgres')
  const words = join(folder, 'password')
  await writeFile(words, postgresPassword)
  const [keyFile, certFile] = [join(folder, 'key'), join(folder, 'cert')]
  await Promise.all([writeFile(keyFile, key, { mode: 0o600 }), writeFile(certFile, cert)])
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
  return started({ command: join(binaries, 'postgres'), args, ready: /ready to accept connections/, folder, owner, stop: 'SIGINT' })
}
