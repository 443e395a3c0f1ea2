// Cloud files in a real Chromium: sealed writes and reads of small and larger files through frame and server beside bare HTTP puts and gets of the same bytes from the
// same page, listing, a local-first write, and the unlocking of an account. Usage: node --conditions=source bench/cloud-files.ts [--smoke]
import { once } from 'node:events'
import { mkdtemp, open as openFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { startDeputy, type TestApp } from '../tests/support/deputy.ts'
import type { FilesRealm } from '../tests/support/files-script.ts'
import { addAuthenticator, finish, makeAccount, openWindow } from '../tests/support/sign-in-walk.ts'
import { signUp } from '../tests/support/test-accounts.ts'
import { bundle, pageOf } from '../tests/support/web-origins.ts'

declare const realm: FilesRealm

const { values } = parseArgs({ options: { smoke: { type: 'boolean', default: false } } })
const small = values.smoke ? 100 : 1000
const large = values.smoke ? 8 : 100
const locals = values.smoke ? 50 : 300
const rounds = values.smoke ? 1 : 3
const atOnce = 8

const folder = await mkdtemp(join(tmpdir(), 'deputy-bench-'))
// What a service of the same kind costs at least: bodies in files, flushed before they are answered.
const bare = createServer((request, response) => {
  void (async () => {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-methods', '*')
    response.setHeader('access-control-max-age', '600')
    const file = join(folder, (request.url ?? '/').replaceAll(/[^a-z0-9]/g, '_'))
    if (request.method === 'PUT') {
      const body = await buffer(request)
      await using handle = await openFile(file, 'w')
      await handle.write(body)
      await handle.datasync()
      response.end()
    } else if (request.method === 'GET') {
      await using handle = await openFile(file)
      response.end(await handle.readFile())
    } else response.end()
  })()
})
bare.listen(0, '127.0.0.1')
await once(bare, 'listening')
const bareOrigin = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`

await using deputy = await startDeputy({ config: { limits: { read: 1_000_000, write: 1_000_000, files: 1_000_000, address: 10_000_000 } } })
deputy.web.serve('notes', '/', pageOf(await bundle(join(import.meta.dirname, '../tests/support/files-script.ts'))))
await signUp(deputy.server, 'Operator')
const page = await deputy.context.newPage()
await page.goto(`${deputy.web.origin('notes')}/?broker=${encodeURIComponent(deputy.server.origins.broker)}`)
await page.waitForFunction(() => 'realm' in globalThis)
// The frame is there once it has answered.
await page.evaluate(() => realm.cloud.fs.availability())
const signedIn = page.evaluate(() => realm.login())
const home = { page, frame: () => page.frames().find(frame => frame.url().startsWith(`${deputy.server.origins.broker}/frame`)) } as TestApp
const popup = await openWindow(home)
await addAuthenticator(deputy.context, popup)
await makeAccount(popup, 'Ada Lovelace')
await finish(popup, 'Allow')
await signedIn
await page.waitForFunction(async () => (await realm.cloud.fs.encryption()).unlocked)

const figures = await page.evaluate(
  async ({ small, large, locals, rounds, atOnce, bareOrigin }) => {
    const { fs } = realm.cloud
    const each = async (count: number, work: (index: number) => Promise<unknown>): Promise<number> => {
      let next = 0
      const start = performance.now()
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          while (next < count) await work(next++)
        }),
      )
      return count / ((performance.now() - start) / 1000)
    }
    const bytes = (size: number): Uint8Array<ArrayBuffer> => new Uint8Array(size).fill(7)
    const bareFetch = async (name: string, init?: RequestInit): Promise<ArrayBuffer> => (await fetch(`${bareOrigin}/${name}`, init)).arrayBuffer()
    const middle = (numbers: readonly number[]): number => numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN
    const rows: Record<string, { bare: number[]; deputy: number[] }> = {}
    const note = (name: string, bare: number, deputy: number): void => {
      const row = (rows[name] ??= { bare: [], deputy: [] })
      row.bare.push(bare)
      row.deputy.push(deputy)
    }
    for (let round = 0; round < rounds; round += 1) {
      const [one, other] = [bytes(1024), bytes(2 ** 20)]
      note(
        '1 KiB written',
        await each(small, index => bareFetch(`s${index}`, { method: 'PUT', body: one })),
        await each(small, index => fs.writeFile(`small/${index}`, one, null)),
      )
      note('1 KiB read', await each(small, index => bareFetch(`s${index}`)), await each(small, index => fs.readFile(`small/${index}`)))
      note(
        '1 MiB written',
        await each(large, index => bareFetch(`l${index}`, { method: 'PUT', body: other })),
        await each(large, index => fs.writeFile(`large/${index}`, other, null)),
      )
      note('1 MiB read', await each(large, index => bareFetch(`l${index}`)), await each(large, index => fs.readFile(`large/${index}`)))
    }
    const listed = performance.now()
    const entries = await fs.list()
    const listTime = performance.now() - listed
    const times: number[] = []
    for (let index = 0; index < locals; index += 1) {
      const start = performance.now()
      await realm.opfs.promises.writeFile(`local/${index}`, 'a note of some words')
      times.push(performance.now() - start)
    }
    const hybrid: number[] = []
    for (let index = 0; index < Math.min(locals, 50); index += 1) {
      const start = performance.now()
      await realm.files.promises.writeFile(`hybrid/${index}`, 'a note of some words')
      hybrid.push(performance.now() - start)
    }
    return {
      rows: Object.entries(rows).map(([name, { bare, deputy }]) => ({
        name,
        bare: middle(bare),
        deputy: middle(deputy),
        ratio: middle(deputy.map((speed, index) => speed / (bare[index] ?? 1))),
      })),
      list: { entries: Array.isArray(entries) ? entries.length : 0, time: listTime },
      local: middle(times),
      hybrid: middle(hybrid),
    }
  },
  { small, large, locals, rounds, atOnce, bareOrigin },
)
console.log(`${rounds} rounds, ${atOnce} at once, medians; both keep what they answered, bare without sealing`)
for (const { name, bare: base, deputy: ours, ratio } of figures.rows)
  console.log(`${name.padEnd(16)} bare ${base.toFixed(0).padStart(6)}  deputy ${ours.toFixed(0).padStart(6)} files/s  x ${ratio.toFixed(2)} (at least 0.6)`)
console.log(`list of ${figures.list.entries} files: ${figures.list.time.toFixed(0)} ms`)
console.log(`private files, written and flushed: p50 ${figures.local.toFixed(1)} ms (at most 5)`)
console.log(`local-first files, written, flushed and queued: p50 ${figures.hybrid.toFixed(1)} ms (at most 5)`)
bare.closeAllConnections()
bare.close()
await rm(folder, { recursive: true, force: true })
