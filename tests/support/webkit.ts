import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { once } from 'node:events'
import { freePort } from './server-process.ts'

/** Why a WebKit test is skipped. */
export const noWebKit = 'no WebKitGTK driver found: install webkit2gtk-driver and xvfb'

/** A WebKitGTK session by plain WebDriver: it stands for Safari, at its poorest. */
export interface WebKit extends AsyncDisposable {
  /** Loads a page and waits for its load event. */
  open(url: string): Promise<void>
  /** Runs a function body in the page; a promise it returns is waited for. */
  run(script: string, ...args: readonly unknown[]): Promise<unknown>
  close(): Promise<void>
}

const driver = '/usr/bin/WebKitWebDriver'
const xvfb = '/usr/bin/Xvfb'
const miniBrowsers = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(machine => `/usr/lib/${machine}/webkit2gtk-4.1/MiniBrowser`)

/** Starts Xvfb on a display it picks itself, and answers that display's name. */
async function startDisplay(): Promise<{ readonly process: ChildProcess; readonly display: string }> {
  const process = spawn(xvfb, ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  const output = process.stdio[3]
  if (!output) throw new Error('Xvfb has no display pipe')
  const [number] = (await once(output, 'data')) as [Buffer]
  return { process, display: `:${number.toString().trim()}` }
}

async function command(base: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(base + path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  const { value } = (await response.json()) as { value: unknown }
  if (!response.ok) throw new Error(`WebDriver ${method} ${path}: ${JSON.stringify(value)}`)
  return value
}

async function untilListening(base: string, process: ChildProcess): Promise<void> {
  while (process.exitCode === null) {
    if (
      await command(base, 'GET', '/status').then(
        () => true,
        () => false,
      )
    )
      return
    await new Promise(retry => setTimeout(retry, 50))
  }
  throw new Error(`the WebKit driver ended with ${process.exitCode}`)
}

/** Launches WebKitGTK under a virtual display, or answers undefined where it is not installed: the test then skips with `noWebKit`. */
export async function launchWebKit(): Promise<WebKit | undefined> {
  const binary = miniBrowsers.find(path => existsSync(path))
  if (!binary || !existsSync(driver) || !existsSync(xvfb)) return undefined
  const screen = await startDisplay()
  const port = await freePort()
  const env = { ...process.env, DISPLAY: screen.display, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' }
  const driving = spawn(driver, [`--port=${port}`], { env, stdio: 'ignore' })
  const end = () => {
    driving.kill()
    screen.process.kill()
  }
  try {
    const base = `http://127.0.0.1:${port}`
    await untilListening(base, driving)
    const alwaysMatch = { acceptInsecureCerts: true, 'webkitgtk:browserOptions': { binary, args: ['--automation'] } }
    const { sessionId } = (await command(base, 'POST', '/session', { capabilities: { alwaysMatch } })) as { sessionId: string }
    const session = `/session/${sessionId}`
    await command(base, 'POST', `${session}/timeouts`, { script: 120_000 })
    const close = async () => {
      await command(base, 'DELETE', session).finally(end)
    }
    return {
      open: async url => void (await command(base, 'POST', `${session}/url`, { url })),
      run: (script, ...args) => command(base, 'POST', `${session}/execute/sync`, { script, args }),
      close,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    end()
    throw error
  }
}
