import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { World } from '../../support/chromium.ts'
import { builtPages, startDeputy, type TestDeputy } from '../../support/deputy.ts'
import { signUp } from '../../support/test-accounts.ts'

/** Updates of the broker under a page that stays, in one storage world. */
export function shellSuite(world: World): void {
  let deputy: TestDeputy
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'deputy-update-'))
    await cp(await builtPages(), folder, { recursive: true })
    deputy = await startDeputy({ chromium: { world }, config: { sites: { broker: folder } } })
  })
  after(async () => {
    await deputy?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  /** Puts a newer build in place, as an operator does. */
  const deploy = async (build: string): Promise<void> => {
    const page = join(folder, 'frame.html')
    const html = await readFile(page, 'utf8')
    await writeFile(page, html.replace(/(<meta name="deputy-build" content=")[^"]*/, `$1${build}`))
  }

  test('SHL-1: a newer build is noticed, announced once, applied on request, and its taking is told after the reload', async () => {
    const home = await deputy.openApp('shell')
    await home.signIn(await signUp(deputy.server))
    const start = await home.page.evaluate(async () => {
      const { shell } = app.broker
      const told: string[] = []
      Object.assign(globalThis, { told })
      await shell.onUpdate(() => void told.push('update'))
      await shell.onUpdateTaken(() => void told.push('taken'))
      return { ready: await shell.updateReady(), applied: await shell.applyUpdate() }
    })
    assert.deepEqual(start, { ready: false, applied: false }, 'there is no newer build')

    await deploy('second')
    const noticed = await home.page.evaluate(async () => {
      const { shell } = app.broker
      const ready = [await shell.updateReady(), await shell.updateReady()]
      const late = await new Promise(resolve => void shell.onUpdate(() => resolve('told')))
      return { ready, late }
    })
    assert.deepEqual(noticed, { ready: [true, true], late: 'told' }, 'who asks later is told as well')
    assert.deepEqual(await home.page.evaluate('told'), ['update'])

    const after = await home.page.evaluate(async () => {
      const reached = new Promise<void>(resolve => {
        const before = app.link.current()
        app.link.onLink(now => now !== before && resolve())
      })
      const applied = await app.broker.shell.applyUpdate()
      await reached
      return { applied, ready: await app.broker.shell.updateReady(), account: (await app.broker.account.info())?.name }
    })
    assert.deepEqual(after, { applied: true, ready: false, account: 'Ada' })
    await home.page.waitForFunction(() => (globalThis as unknown as { told: string[] }).told.includes('taken'))

    await home.page.evaluate(() => app.remount())
    await home.page.evaluate(() => app.broker.shell.updateReady())
    assert.deepEqual(await home.page.evaluate('told.filter(word => word === "taken")'), ['taken'], 'told once')
  })

  test('SHL-1: an ended registration is told nothing', async () => {
    const home = await deputy.openApp('silent')
    await deploy(`third-${world}`)
    const told = await home.page.evaluate(async () => {
      const { shell } = app.broker
      const told: string[] = []
      const end = await shell.onUpdate(() => void told.push('ended'))
      await end()
      await new Promise<void>(resolve => void shell.onUpdate(() => resolve()).then(() => shell.updateReady()))
      return told
    })
    assert.deepEqual(told, [])
  })

  test('SHL-1: a service that cannot be reached announces nothing', async () => {
    const home = await deputy.openApp('cut')
    await home.page.route('**/config.json', route => route.abort())
    await deploy(`fourth-${world}`)
    assert.deepEqual(await home.page.evaluate(async () => [await app.broker.shell.updateReady(), await app.broker.shell.applyUpdate()]), [false, false])
  })
}
