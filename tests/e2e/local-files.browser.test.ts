import assert from 'node:assert/strict'
import * as node from 'node:fs/promises'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Chromium, launchChromium } from '../support/chromium.ts'
import type { FilesRealm } from '../support/files-script.ts'
import { fsCases, transcripts } from '../support/fs-cases.ts'
import { bundle, pageOf, serveOrigins, type WebOrigins } from '../support/web-origins.ts'
import { launchWebKit, noWebKit } from '../support/webkit.ts'

// Files of this browser alone: no broker answers at the address these pages name.

declare const realm: FilesRealm
/** Kills of the renderer in the middle of writing. */
const KILLS = Number(process.env['DEPUTY_KILLS'] ?? 2)

let web: WebOrigins
let browser: Chromium
let expected: Record<string, unknown>
before(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'deputy-fs-'))
  after(() => rm(folder, { recursive: true }))
  ;[web, browser, expected] = await Promise.all([serveOrigins(), launchChromium(), transcripts(node, folder)])
  const script = await bundle(join(import.meta.dirname, '../support/files-script.ts'))
  for (const host of ['files', 'kill', 'pace']) web.serve(host, '/', pageOf(script))
})
after(async () => {
  await browser?.close()
  await web?.close()
})

async function open(host: string): Promise<Page> {
  const page = await browser.context.newPage()
  page.setDefaultTimeout(30_000)
  await page.goto(`${web.origin(host)}/?broker=${encodeURIComponent(web.origin('nobody'))}`)
  await page.waitForFunction(() => 'realm' in globalThis)
  return page
}

for (const kind of ['opfs', 'indexeddb', 'files'] as const) {
  test(`${kind} in Chromium: the same answers as node:fs/promises`, async () => {
    const page = await open('files')
    const said = await page.evaluate(name => realm.transcripts(name), kind)
    for (const title of Object.keys(fsCases)) assert.deepEqual(said[title], expected[title], title)
    if (kind === 'opfs') assert.equal(await page.evaluate(() => realm.opfs.openLocal('files').backing), 'opfs')
    await page.close()
  })
}

test('the IndexedDB fallback in WebKit: the same answers as node:fs/promises', async t => {
  const webkit = await launchWebKit()
  if (webkit === undefined) {
    t.skip(noWebKit)
    return
  }
  await using _ = webkit
  await webkit.open(`${web.origin('files')}/`)
  const said = JSON.parse((await webkit.run("return realm.transcripts('indexeddb').then(said => JSON.stringify(said))")) as string) as Record<string, unknown>
  for (const title of Object.keys(fsCases)) assert.deepEqual(said[title], JSON.parse(JSON.stringify(expected[title])), title)
})

for (const kind of ['opfs', 'files'] as const) {
  test(`${kind}: two tabs see each other’s writes and removals, and appends of both are kept`, async () => {
    const [one, two] = [await open('files'), await open('files')]
    await two.evaluate(async name => {
      const seen: string[] = []
      Object.assign(globalThis, { seen })
      void (async () => {
        for await (const { filename } of realm[name].watch('shared', { recursive: true })) seen.push(filename)
      })()
      // The watch begins once the files are open.
      await realm[name].exists('shared')
    }, kind)
    await one.evaluate(async name => {
      await realm[name].mkdir('shared', { recursive: true })
      await realm[name].writeFile('shared/note', 'from one')
    }, kind)
    await two.waitForFunction(() => (globalThis as unknown as { seen: string[] }).seen.includes('note'))
    await two.waitForFunction(
      name =>
        realm[name].readFile('shared/note', 'utf8').then(
          text => text === 'from one',
          () => false,
        ),
      kind,
    )
    await one.evaluate(name => realm[name].unlink('shared/note'), kind)
    await two.waitForFunction(name => realm[name].exists('shared/note').then(is => !is), kind)
    const append = (page: Page, mark: string) =>
      page.evaluate(
        async ([name, text]) => {
          for (let at = 0; at < 15; at++) await realm[name].appendFile('shared/log', text)
        },
        [kind, mark] as const,
      )
    await Promise.all([append(one, 'a'), append(two, 'b')])
    const log = await one.evaluate(name => realm[name].readFile('shared/log', 'utf8'), kind)
    assert.equal(log.split('').toSorted().join(''), 'a'.repeat(15) + 'b'.repeat(15))
    await Promise.all([one.close(), two.close()])
  })
}

test('streams: a file is read in parts, and a written one stands only once it is closed', async () => {
  const page = await open('files')
  const said = await page.evaluate(async () => {
    const { opfs } = realm
    const writing = opfs.createWriteStream('stream').getWriter()
    await writing.write(new Uint8Array(700_000).fill(1))
    await writing.write(new Uint8Array(700_000).fill(2))
    const before = await opfs.exists('stream')
    await writing.close()
    const whole = new Uint8Array(await new Response(opfs.createReadStream('stream')).arrayBuffer())
    const part = new Uint8Array(await new Response(opfs.createReadStream('stream', { start: 699_999, end: 700_000 })).arrayBuffer())
    return [before, whole.length, whole[0], whole.at(-1), [...part]]
  })
  assert.deepEqual(said, [false, 1_400_000, 1, 2, [1, 2]])
  await page.close()
})

test('the key-value store keeps values and versions, and tells of changes', async () => {
  const page = await open('files')
  const said = await page.evaluate(async () => {
    const notes = realm.store<{ readonly text: string }>('notes')
    const watching = notes.watch()
    const first = watching.next()
    await notes.set('a/b ü', { text: 'one' })
    await notes.set('.', { text: 'dot' })
    const entry = await notes.entry('a/b ü')
    await notes.set('a/b ü', { text: 'two' }, { base: entry!.version })
    const stale = await realm.failure(notes.set('a/b ü', { text: 'three' }, { base: entry!.version }))
    return [
      (await first).value,
      await notes.get('a/b ü'),
      stale?.code,
      await notes.list(),
      await notes.delete('.'),
      await notes.delete('.'),
      (await notes.all()).length,
      await notes.get('none'),
    ]
  })
  assert.deepEqual(
    said,
    ['a/b ü', { text: 'two' }, 'CONFLICT', ['.', 'a/b ü'], true, false, 1, undefined]
      .map(value => value ?? null)
      .map((value, at) => (at === 7 ? undefined : value)),
  )
  await page.close()
})

test('useFile and useStored in strict mode: what is there is read once and followed, from another tab too, until the component leaves', async () => {
  const script = await bundle(join(import.meta.dirname, '../support/files-react-script.ts'))
  web.serve('react', '/', pageOf(script, '<div id="root"></div>'))
  const page = await browser.context.newPage()
  page.setDefaultTimeout(30_000)
  await page.goto(`${web.origin('react')}/`)
  const shows = (id: string, text: string, of = page) => of.waitForFunction(([id, text]) => document.getElementById(id!)?.textContent === text, [id, text])
  await shows('status', 'absent')
  await shows('count', 'absent')
  assert.equal(await page.evaluate(() => (globalThis as unknown as { reads: { count: number } }).reads.count), 2, 'each once')

  const other = await browser.context.newPage()
  other.setDefaultTimeout(30_000)
  await other.goto(`${web.origin('react')}/`)
  await shows('status', 'absent', other)
  await page.click('#write')
  for (const each of [page, other]) await shows('text', '+', each)
  await other.click('#write')
  for (const each of [page, other]) await shows('text', '++', each)
  await page.click('#add')
  await shows('count', '1', other)
  await other.click('#add')
  await shows('count', '2')
  await page.click('#remove')
  await shows('count', 'absent', other)

  await page.click('#to-b')
  await shows('status', 'absent')
  assert.equal(await page.textContent('#text'), '', 'nothing of the file before')
  await page.evaluate(() => (globalThis as unknown as { local: { mkdir(path: string): Promise<unknown> } }).local.mkdir('folder'))
  await page.click('#to-f')
  await page.waitForFunction(() => document.getElementById('status')?.textContent?.startsWith('EISDIR'))
  await page.click('#to-a')
  await shows('text', '++')
  await page.evaluate(() => (globalThis as unknown as { local: { unlink(path: string): Promise<unknown> } }).local.unlink('a.txt'))
  for (const each of [page, other]) await shows('status', 'absent', each)

  await page.click('#to-undefined')
  const before = await page.evaluate(() => (globalThis as unknown as { reads: { count: number } }).reads.count)
  await other.click('#write')
  await shows('text', '+', other)
  assert.equal(await page.evaluate(() => (globalThis as unknown as { reads: { count: number } }).reads.count), before, 'who has left reads no more')
  await Promise.all([page.close(), other.close()])
})

test(
  `a renderer killed in the middle of writing, ${KILLS} times: what was acknowledged is there, and every file is whole`,
  { timeout: 60_000 + KILLS * 30_000 },
  async () => {
    const said: string[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const page = await open('kill')
      const gone = new Promise(resolve => void page.once('crash', resolve))
      let enough = (): void => {}
      const told = new Promise<void>(resolve => (enough = resolve))
      await page.exposeFunction('acknowledged', (line: string) => {
        said.push(line)
        if (said.length % 12 === kill % 12) enough()
      })
      await page.evaluate(round => {
        const { acknowledged } = globalThis as unknown as { acknowledged(line: string): Promise<void> }
        void (async () => {
          for (let turn = 0; ; turn++) {
            for (const name of ['opfs', 'files'] as const) {
              const size = turn % 5 === 4 ? 400_000 : 20
              const line = `${name} ${round} ${turn}`
              await realm[name].writeFile(`kill/${turn % 6}`, line.padEnd(size, '.'))
              await acknowledged(line)
            }
          }
        })()
      }, kill)
      await told
      const client = await browser.context.newCDPSession(page)
      void client.send('Page.crash').catch(() => undefined)
      await gone
      await page.close()
      const check = await open('kill')
      const found = await check.evaluate(async () => {
        const read: Record<string, string> = {}
        for (const name of ['opfs', 'files'] as const) {
          for (const file of await realm[name].readdir('kill')) read[`${name} ${file}`] = await realm[name].readFile(`kill/${file}`, 'utf8')
        }
        return read
      })
      await check.close()
      for (const [file, text] of Object.entries(found)) assert.ok(text.length === 20 || text.length === 400_000, `${file} is whole: ${text.length}`)
      for (const name of ['opfs', 'files']) {
        for (let file = 0; file < 6; file++) {
          const last = said.findLast(line => line.startsWith(`${name} `) && Number(line.split(' ')[2]) % 6 === file)
          if (last === undefined) continue
          const text = found[`${name} ${file}`]?.replaceAll('.', '').trim() ?? ''
          const order = (line: string): number => Number(line.split(' ')[1]) * 1e6 + Number(line.split(' ')[2])
          assert.ok(text.startsWith(`${name} `) && order(text) >= order(last), `${last} was acknowledged, and there is ${text}`)
        }
      }
    }
  },
)

test('a local write is acknowledged in milliseconds', async t => {
  const page = await open('pace')
  const paces = await page.evaluate(async () => {
    const measured: Record<string, number> = {}
    for (const name of ['files', 'opfs'] as const) {
      await realm[name].mkdir('pace', { recursive: true })
      const times: number[] = []
      for (let turn = 0; turn < 200; turn++) {
        const began = performance.now()
        await realm[name].writeFile(`pace/${turn}`, 'x'.repeat(1024))
        times.push(performance.now() - began)
      }
      measured[name] = times.toSorted((a, b) => a - b)[100] ?? 0
    }
    return measured
  })
  t.diagnostic(`p50 of 1 KiB: local first ${paces['files']?.toFixed(2)} ms, private files ${paces['opfs']?.toFixed(2)} ms`)
  assert.ok((paces['files'] ?? Infinity) < 100)
  await page.close()
})
