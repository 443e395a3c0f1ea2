import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** `deputy dev` as its own process on a free port, in a folder of its own. */
export interface DevServer extends AsyncDisposable {
  readonly playground: string
  readonly account: string
  /** Everything it printed so far. */
  printed(): string
}

/** Starts it as `npm start` does, with settings by their variables, and waits until it says that it runs. */
export async function startDev(settings: Readonly<Record<`DEPUTY_${string}`, string>> = {}): Promise<DevServer> {
  const folder = await mkdtemp(join(tmpdir(), 'deputy-dev-'))
  const child = spawn(process.execPath, ['--conditions=source', join(root, 'cli/src/main.ts'), 'dev', '--port', '0', '--folder', folder], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
  let printed = ''
  const running = Promise.withResolvers<void>()
  const read = (chunk: Buffer) => {
    printed += chunk.toString()
    if (/Ctrl\+C/.test(printed)) running.resolve()
  }
  child.stdout.on('data', read)
  child.stderr.on('data', read)
  void exited.then(() => running.reject(new Error(`deputy dev ended:\n${printed}`)))
  await running.promise
  const originOf = (name: string) => new RegExp(`${name}\\s+(http\\S+)`).exec(printed)?.[1] ?? ''
  return {
    playground: originOf('playground'),
    account: originOf('account'),
    printed: () => printed,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}
