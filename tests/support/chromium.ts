import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { type BrowserContext, chromium } from 'playwright-core'

/**
 * What a cross-site frame may keep. `chrome`: partitioned storage, third-party cookies on (Chrome's default). `blocked`: partitioned storage, third-party
 * cookies off (Debian's default, Chrome's incognito). `denied`: no storage at all, as for people who block all site data.
 */
export type World = 'chrome' | 'blocked' | 'denied'

/** How to launch: the world, switches to add, and further default switches of Playwright to leave out. */
export interface ChromiumOptions {
  readonly world?: World
  readonly headless?: boolean
  readonly args?: readonly string[]
  readonly strip?: readonly string[]
}

/** A launched Chromium with a profile of its own, which `close` removes. Disposable: `await using browser = await launchChromium()`. */
export interface Chromium extends AsyncDisposable {
  readonly context: BrowserContext
  readonly world: World
  close(): Promise<void>
}

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome']
const applications = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium']

const switches = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

// Playwright's own list less ThirdPartyStoragePartitioning: with that one switched off a cross-site broker shares storage with the top-level one, and tests pass
// that every real browser fails. The last switch on the line wins.
const partitioned =
  '--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch'

/** The path of an installed Chromium: `DEPUTY_CHROMIUM`, else the first known name on the PATH. */
export function findChromium(): string | undefined {
  const chosen = process.env['DEPUTY_CHROMIUM']
  if (chosen) return existsSync(chosen) ? chosen : undefined
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin']
  return [...folders.flatMap(folder => names.map(name => join(folder, name))), ...applications].find(path => existsSync(path))
}

/** The path of a Chromium, installed from the distribution's packages when this is root on Debian and there is none. Throws with the way out otherwise. */
export async function ensureChromium(): Promise<string> {
  const found = findChromium()
  if (found) return found
  if (!process.env['DEPUTY_CHROMIUM'] && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log('no Chromium found: installing the distribution’s package')
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'inherit' })
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { env, stdio: 'inherit' })
  }
  const path = findChromium()
  if (path) return path
  throw new Error(
    'The browser tests need Chromium or Chrome. Install one (Debian: `apt-get install chromium`; macOS: `brew install --cask google-chrome`), or name its binary in DEPUTY_CHROMIUM.',
  )
}

/** Launches Chromium as people run it, in one of the storage worlds (`chrome` by default). */
export async function launchChromium(options: ChromiumOptions = {}): Promise<Chromium> {
  const { world = 'chrome', headless = true, args = [], strip = [] } = options
  const executablePath = await ensureChromium()
  const profile = await mkdtemp(join(tmpdir(), 'deputy-chromium-'))
  await mkdir(join(profile, 'Default'))
  await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify({ profile: { cookie_controls_mode: world === 'chrome' ? 0 : 1 } }))
  const remove = () => rm(profile, { recursive: true, force: true, maxRetries: 5 })
  try {
    const context = await chromium.launchPersistentContext(profile, {
      executablePath,
      headless,
      args: [...switches, ...(world === 'denied' ? [] : [partitioned]), ...args],
      ignoreDefaultArgs: ['--disable-popup-blocking', '--disable-back-forward-cache', ...strip],
      viewport: { width: 1280, height: 800 },
      // Without a locale Chromium saves no file under a name beyond ASCII.
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    })
    const close = async () => {
      await context.close()
      await remove()
    }
    return { context, world, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await remove()
    throw error
  }
}

/** What the installed Chromium says of its version, for reports. */
export async function chromiumVersion(): Promise<string> {
  const { stdout } = await promisify(execFile)(await ensureChromium(), ['--version', '--no-sandbox'])
  return stdout.trim()
}
