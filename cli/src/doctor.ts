import { accessSync, constants, existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { askControl, checkSqlite, type Config, ConfigError, readProcessConfig } from '@deputy/server'
import { type Command, withSettings } from './command.ts'
import { nodeFault } from './node-version.ts'

const comfortable = 1024 ** 3

/** What a check found: `fault` says what is wrong and the way out; without one all is well. */
interface Finding {
  readonly check: string
  readonly found: string
  readonly fault?: string
}

/** Looks at everything that commonly goes wrong. */
export const doctor: Command = {
  about: 'looks for what is wrong and says the way out',
  help: `deputy doctor [--folder <folder>] [--config <file>]

Looks at the version of Node, the configuration, the folder, the disk, the database, the port and the pages, changing
nothing. Ends with 1 when something is wrong.`,
  options: { folder: { type: 'string' }, config: { type: 'string' }, port: { type: 'string' } },
  run: async (args, { env, out }) => {
    const findings: Finding[] = [checkNode()]
    try {
      const config = readProcessConfig(withSettings(env, args))
      findings.push({ check: 'configuration', found: 'sound' }, ...(await checkAll(config)))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      findings.push({ check: 'configuration', found: 'unusable', fault: error.faults.join('; ') })
    }
    out(
      findings
        .map(
          ({ check, found, fault }) =>
            `${fault === undefined ? 'well ' : 'WRONG'}  ${check.padEnd(14)} ${found}${fault === undefined ? '' : `\n       ${fault}`}`,
        )
        .join('\n'),
    )
    return findings.some(finding => finding.fault !== undefined) ? 1 : 0
  },
}

function checkNode(): Finding {
  const fault = nodeFault(process.versions.node)
  return { check: 'node', found: process.versions.node, ...(fault === null ? {} : { fault }) }
}

async function checkAll(config: Config): Promise<Finding[]> {
  const running = await isRunning(config)
  return [
    checkFolder(config),
    { check: 'server', found: running ? 'runs on this folder' : 'does not run' },
    await checkDisk(config),
    checkDatabase(config),
    await checkPort(config, running),
    checkPages(config),
  ]
}

async function isRunning(config: Config): Promise<boolean> {
  try {
    await askControl(config.server.folder, 'check', {})
    return true
  } catch {
    return false
  }
}

/** The nearest folder that is there. */
const existing = (folder: string): string => (existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder)))

function checkFolder({ server }: Config): Finding {
  const folder = resolve(server.folder)
  try {
    accessSync(existing(folder), constants.R_OK | constants.W_OK)
    return { check: 'folder', found: existsSync(folder) ? folder : `${folder} (made at the first start)` }
  } catch {
    return { check: 'folder', found: folder, fault: 'it cannot be written: change its owner, or name another in DEPUTY_SERVER_FOLDER' }
  }
}

async function checkDisk({ server }: Config): Promise<Finding> {
  const { bavail, bsize } = await statfs(existing(resolve(server.folder)))
  const free = bavail * bsize
  const found = `${(free / 1024 ** 3).toFixed(1)} GiB free`
  return free >= comfortable
    ? { check: 'disk', found }
    : { check: 'disk', found, fault: 'less than 1 GiB is free: make room, or name a folder on another disk' }
}

function checkDatabase({ server }: Config): Finding {
  try {
    const faults = checkSqlite(server.folder)
    if (faults === null) return { check: 'database', found: 'none yet' }
    return faults.length === 0
      ? { check: 'database', found: 'sound' }
      : { check: 'database', found: 'damaged', fault: `${faults.slice(0, 5).join('; ')}: stop the server and restore a backup` }
  } catch (error) {
    return { check: 'database', found: 'unreadable', fault: `${error instanceof Error ? error.message : 'it cannot be opened'}: restore a backup` }
  }
}

async function checkPort({ server }: Config, running: boolean): Promise<Finding> {
  if (running) return { check: 'port', found: `${server.port}` }
  const taken = await new Promise<boolean>(answer => {
    const probe = createServer()
    probe.once('error', () => answer(true))
    probe.listen(server.port, server.hosts[0], () => probe.close(() => answer(false)))
  })
  return taken
    ? { check: 'port', found: `${server.port}`, fault: 'it is in use: stop the program that holds it, or name another in DEPUTY_SERVER_PORT' }
    : { check: 'port', found: `${server.port} is free` }
}

function checkPages({ sites, server }: Config): Finding {
  const folder = sites.broker || join(server.folder, 'sites', 'broker')
  if (existsSync(join(folder, 'frame.html'))) return { check: 'pages', found: folder }
  const found = `none in ${folder}`
  return server.mode === 'production'
    ? { check: 'pages', found, fault: 'build them and name their folder in DEPUTY_SITES_BROKER' }
    : { check: 'pages', found: `${found} ("deputy dev" builds them)` }
}
