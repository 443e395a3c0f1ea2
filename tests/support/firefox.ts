import { existsSync } from 'node:fs'
import { type Browser, launch } from 'puppeteer-core'

/** Why a Firefox test is skipped. */
export const noFirefox = 'no Firefox found: install firefox-esr, or name a binary in DEPUTY_FIREFOX'

/** The path of an installed Firefox: `DEPUTY_FIREFOX`, else Debian's or a usual place. */
export function findFirefox(): string | undefined {
  const places = ['/usr/bin/firefox-esr', '/usr/bin/firefox', '/Applications/Firefox.app/Contents/MacOS/firefox']
  return [process.env['DEPUTY_FIREFOX'] ?? '', ...places].find(path => path !== '' && existsSync(path))
}

/** Launches Firefox headless with a profile of its own, or answers undefined where there is none: the test then skips with `noFirefox`. */
export async function launchFirefox(preferences: Readonly<Record<string, unknown>> = {}): Promise<Browser | undefined> {
  const executablePath = findFirefox()
  if (!executablePath) return undefined
  return launch({ browser: 'firefox', executablePath, headless: true, acceptInsecureCerts: true, extraPrefsFirefox: { ...preferences } })
}
