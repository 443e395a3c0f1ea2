import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fileContentPath, listFileApps } from '@deputy/contract/api-files'
import type { Route as Intercepted } from 'playwright-core'
import { startDeputy, type TestApp, type TestDeputy } from '../support/deputy.ts'
import { contentsOf, formsOf, secretsOf } from '../support/planted.ts'
import { sentBy } from '../support/sent-bodies.ts'
import { signUpFromApp } from '../support/sign-in-walk.ts'
import { ok, signUp } from '../support/test-accounts.ts'

const plantedText = 'a planted sentence that nobody else writes 7f3a9c'
const plantedPath = 'planted folder 51e2/planted name 8d44.txt'
const plantedType = 'application/x-planted-type-b7c9'

let deputy: TestDeputy
let sent: () => string
let secrets: Set<string>
let code: string
let home: TestApp

before(async () => {
  deputy = await startDeputy({ config: { operations: { sample: 1 } } })
  sent = sentBy(deputy.context)
  secrets = await secretsOf(deputy.context)
  await signUp(deputy.server, 'Operator')
  home = await deputy.openApp('notes')
  code = await signUpFromApp(home)
})
after(() => deputy?.[Symbol.asyncDispose]())

/** Whether the frame shows a card. */
const cards = (): Promise<number> => home.frame().locator('[role=dialog]').count()

test('FS-1: accountPin answers a fresh opaque pin per call', async () => {
  const pins = await home.page.evaluate(async () => [await app.pin(), await app.pin(), await app.pin()])
  assert.equal(new Set(pins).size, 3)
  for (const pin of pins) assert.ok(pin.length > 20 && !pin.includes('Ada'))
})

test('FS-4: availability and available of a connected account', async () => {
  assert.deepEqual(await home.page.evaluate(async () => [await app.files.availability(), await app.files.available()]), ['connected', true])
})

test('FS-5: encryption says that there are keys, of which epoch, and that they are held; unlock is then true at once', async () => {
  assert.deepEqual(await home.page.evaluate(() => app.files.encryption()), { enrolled: true, keyEpoch: 1, unlocked: true })
  assert.equal(await home.page.evaluate(() => app.files.unlock()), true)
})

test('FS-7: a text, a buffer and bytes are read as they were written, whatever their size', async () => {
  const results = await home.page.evaluate(async () => {
    const { files: fs } = app
    const mib = 2 ** 20
    const wrong: string[] = []
    await fs.writeFile('kinds/text', 'grüße', 'text/plain')
    if (new TextDecoder().decode(await app.value(fs.readFile('kinds/text'))) !== 'grüße') wrong.push('text')
    await fs.writeFile('kinds/buffer', app.bytes(1000, 5).buffer, null)
    if ((await app.sha256(await app.value(fs.readFile('kinds/buffer')))) !== (await app.sha256(app.bytes(1000, 5)))) wrong.push('buffer')
    for (const size of [0, 1, mib - 1, mib, mib + 1, 8 * mib, 8 * mib + 1, 20 * mib + 3]) {
      const bytes = app.bytes(size, size + 1)
      const expected = await app.sha256(bytes)
      await fs.writeFile(`sizes/${size}`, bytes, 'application/octet-stream')
      if ((await app.sha256(await app.value(fs.readFile(`sizes/${size}`)))) !== expected) wrong.push(String(size))
    }
    return wrong
  })
  assert.deepEqual(results, [])
})

test('FS-6: list answers every file with its type, size and time, sorted by path', async () => {
  const entries = await home.page.evaluate(() => app.value(app.files.list()))
  const paths = entries.map(({ path }) => path)
  assert.deepEqual(
    paths,
    paths.toSorted((one, other) => (one < other ? -1 : 1)),
  )
  const text = entries.find(({ path }) => path === 'kinds/text')
  assert.deepEqual({ ...text, updatedAt: '' }, { contentType: 'text/plain', encryption: 'deputy/file/v1', path: 'kinds/text', size: 7, updatedAt: '' })
  assert.ok(Math.abs(Date.parse(text?.updatedAt ?? '') - Date.now()) < 600_000)
  assert.equal(entries.find(({ path }) => path === 'kinds/buffer')?.contentType, null)
  assert.equal(entries.find(({ path }) => path === 'sizes/0')?.size, 0)
})

test('FS-8: readFileSealed tells when the file was sealed', async () => {
  const before = Date.now()
  const { sealedAt, length } = await home.page.evaluate(async () => {
    await app.files.writeFile('sealed', 'abc', null)
    const answer = await app.value(app.files.readFileSealed('sealed'))
    return { sealedAt: answer.sealedAt, length: answer.bytes.length }
  })
  assert.equal(length, 3)
  assert.ok(sealedAt !== null && sealedAt >= before && sealedAt <= Date.now())
})

test('FS-9: quota counts files and their sealed bytes', async () => {
  const [one, two] = await home.page.evaluate(async () => {
    const before = await app.value(app.files.quota())
    await app.files.writeFile('quota', app.bytes(1000), null)
    return [before, await app.value(app.files.quota())] as const
  })
  assert.equal(two.objects, one.objects + 1)
  assert.equal(two.usedBytes, one.usedBytes + 1000 + 29 + 28)
  assert.equal(two.remaining, two.limitBytes - two.usedBytes)
  assert.ok(two.maxObjects > 0)
})

test('ranges of a file are its bytes, cut off where it ends', async () => {
  const wrong = await home.page.evaluate(async () => {
    const { files: fs } = app
    const mib = 2 ** 20
    const size = 20 * mib + 3
    const bytes = app.bytes(size, size + 1)
    const failed: string[] = []
    const ranges = [
      [0, 10],
      [mib - 1, mib + 1],
      [9 * mib + 5, 19 * mib],
      [size - 5, size],
      [size - 5, size + 50],
      [size, size + 1],
      [7, 7],
      [size - mib - 10, undefined],
    ] as const
    for (const [start, end] of ranges) {
      const got = await app.value(fs.readRange(`sizes/${size}`, end === undefined ? { start } : { start, end }))
      if ((await app.sha256(got)) !== (await app.sha256(bytes.slice(start, end)))) failed.push(`${start}-${end}`)
    }
    return failed
  })
  assert.deepEqual(wrong, [])
})

test('a write or removal under a condition happens only where the file is as it was said to be', async () => {
  const told = await home.page.evaluate(async () => {
    const { files: fs } = app
    const { code } = app
    const one = await app.value(fs.writeFileIf('if', 'one', null, { base: null }))
    const answers = [
      await code(fs.writeFileIf('if', 'again', null, { base: null })),
      await code(fs.writeFileIf('if', 'two', null, { base: one.version })),
      await code(fs.writeFileIf('if', 'three', null, { base: one.version })),
      await code(fs.removeIf('if', { base: one.version })),
      await code(fs.removeIf('if', { base: null })),
      await code(fs.removeIf('if', { base: 'no version' })),
    ]
    const stat = await app.value(fs.stat('if'))
    const text = new TextDecoder().decode(await app.value(fs.readFile('if')))
    answers.push(await code(fs.removeIf('if', { base: stat?.version ?? '' })), await code(fs.removeIf('if', { base: null })))
    return { answers, text, differs: stat?.version !== one.version, gone: await fs.stat('if') }
  })
  const answers = ['conflict', 'done', 'conflict', 'conflict', 'conflict', 'conflict', 'done', 'done']
  assert.deepEqual(told, { answers, text: 'two', differs: true, gone: null })
})

test('changes tells what was written and removed since a cursor, and everything for a cursor of nobody', async () => {
  const told = await home.page.evaluate(async () => {
    const { files: fs } = app
    const all = await app.value(fs.changes({}))
    await fs.writeFile('later', 'x', null)
    await fs.remove('quota')
    const some = await app.value(fs.changes({ cursor: all.cursor }))
    const none = await app.value(fs.changes({ cursor: some.cursor }))
    const foreign = await app.value(fs.changes({ cursor: `0123456789abcdef.5` }))
    const paths = ({ entries }: { readonly entries: readonly { readonly path: string }[] }): string[] => entries.map(({ path }) => path)
    return {
      all: [all.reset, paths(all).includes('quota')],
      some: [some.reset, paths(some), some.removed],
      none: [none.reset, paths(none), none.removed],
      foreign: [foreign.reset, paths(foreign).includes('later'), paths(foreign).includes('quota')],
    }
  })
  assert.deepEqual(told, { all: [true, true], some: [false, ['later'], ['quota']], none: [false, [], []], foreign: [true, true, false] })
})

test('what names no file is refused as that, what is not there as that', async () => {
  const codes = await home.page.evaluate(async () => {
    const { files: fs } = app
    const { code } = app
    const bad = ['', '/a', 'a/', 'a//b', '.', 'a/../b', 'a/./b', 'a\u0000b', 'a\nb', 'x'.repeat(1025), 'ä'.repeat(513), '\ud800']
    const refused = new Set<string>()
    for (const path of bad) for (const work of [fs.readFile(path), fs.writeFile(path, 'x', null), fs.remove(path), fs.stat(path)]) refused.add(await code(work))
    const longest = 'ä'.repeat(512)
    return {
      refused: [...refused],
      longest: await code(fs.writeFile(longest, 'x', null)),
      missing: [await code(fs.readFile('no')), await code(fs.remove('no')), await code(fs.readRange('no', { start: 0 }))],
    }
  })
  assert.deepEqual(codes, { refused: ['invalid'], longest: 'done', missing: ['not-found', 'not-found', 'not-found'] })
})

test('an older state of a file, or another file’s, served in its place is refused as broken', async () => {
  await home.page.evaluate(() => app.files.writeFile('rolled', 'old', null))
  type Kept = { readonly url: string; readonly status: number; readonly headers: Record<string, string>; readonly body: Buffer }
  let kept: Kept | undefined
  const isRead = (route: Intercepted): boolean => route.request().method() === 'POST' && route.request().url().endsWith(fileContentPath)
  const keep = async (route: Intercepted): Promise<void> => {
    const answer = await route.fetch()
    if (isRead(route)) kept = { url: route.request().url(), status: answer.status(), headers: answer.headers(), body: await answer.body() }
    await route.fulfill({ response: answer })
  }
  const files = `${deputy.server.origins.api}/v1/files/*`
  await deputy.context.route(files, keep)
  const read = (path: string): Promise<string | undefined> =>
    home.page.evaluate(
      name =>
        app.value(app.files.readFile(name)).then(
          bytes => new TextDecoder().decode(bytes),
          (error: Error) => error.message,
        ),
      path,
    )
  assert.equal(await read('rolled'), 'old')
  await deputy.context.unroute(files, keep)
  await home.page.evaluate(() => app.files.writeFile('rolled', 'new', null))
  assert.equal(await read('rolled'), 'new')
  const replay = (route: Intercepted): Promise<void> => {
    assert.ok(kept)
    return isRead(route) ? route.fulfill({ status: kept.status, headers: kept.headers, body: kept.body }) : route.continue()
  }
  await deputy.context.route(files, replay)
  assert.equal(await read('rolled'), 'integrity', 'an older state')
  assert.equal(await read('kinds/text'), 'integrity', 'another file')
  await deputy.context.unroute(files, replay)
  assert.equal(await read('rolled'), 'new')
})

test('FS-10: promptAdopt shows how much there is, is false for a no, and does the announced work for a yes', async () => {
  const ask = () => home.page.evaluate(() => app.files.promptAdopt({ files: 3, bytes: 4096 }))
  const card = home.frame().locator('[role=dialog][data-ready=true]')
  const refused = ask()
  await card.getByText('3 files').waitFor()
  await card.getByRole('button', { name: 'Not now' }).click()
  assert.equal(await refused, false)

  const plain = ask()
  await card.getByRole('button', { name: 'Keep in my account' }).click()
  assert.equal(await plain, true)

  await home.page.evaluate(() => {
    const realm = globalThis as unknown as { finish?: () => void; runs?: number }
    realm.runs = 0
    return app.files.setAdoptSource({ files: 3, bytes: 4096 }, async () => {
      realm.runs = (realm.runs ?? 0) + 1
      await app.files.setAdoptSource({ files: 1, bytes: 1 }, () => Promise.resolve())
      await new Promise<void>(resolve => (realm.finish = resolve))
    })
  })
  const worked = ask()
  await card.getByRole('button', { name: 'Keep in my account' }).click()
  await card.getByText('2 of 3 files').waitFor()
  await home.page.evaluate(() => (globalThis as unknown as { finish?: () => void }).finish?.())
  assert.equal(await worked, true)
  assert.equal(await home.page.evaluate(() => (globalThis as unknown as { runs?: number }).runs), 1)
  await home.page.evaluate(() => app.files.setAdoptSource(null, null))
  assert.equal(await home.page.evaluate(() => app.files.promptAdopt({ files: 0, bytes: 0 })), false)
})

test('FS-11: promptConflict shows both sides and answers the one the person keeps, or null', async () => {
  const ask = () =>
    home.page.evaluate(() =>
      app.files.promptConflict({
        path: 'notes/<b>plan</b>.md',
        local: { size: 1200, updatedAt: new Date().toISOString() },
        cloud: { size: 34, updatedAt: null },
      }),
    )
  const card = home.frame().locator('[role=dialog][data-ready=true]')
  for (const [button, choice] of [
    ['Keep this device’s', 'local'],
    ['Keep the account’s', 'cloud'],
    ['Keep both for now', null],
  ] as const) {
    const asked = ask()
    await card.getByText('notes/<b>plan</b>.md', { exact: true }).waitFor()
    await card.getByText(/^34 /).waitFor()
    assert.equal(await home.frame().evaluate(() => document.activeElement?.textContent), 'Keep both for now')
    await card.getByRole('button', { name: button }).click()
    assert.equal(await asked, choice)
  }
})

test('FS-12: what the server keeps, logs and is sent holds no plaintext, path, type or key', async () => {
  await home.page.evaluate(([path, text, type]) => app.files.writeFile(path, text, type), [plantedPath, plantedText, plantedType] as const)
  // Long enough to lie outside of the rows.
  await home.page.evaluate(([path, text, type]) => app.files.writeFile(`${path} long`, text.repeat(5000), type), [
    plantedPath,
    plantedText,
    plantedType,
  ] as const)
  const read = await home.page.evaluate(path => app.value(app.files.readFile(path)).then(bytes => new TextDecoder().decode(bytes)), plantedPath)
  assert.equal(read, plantedText)
  await home.page.evaluate(() => app.files.list())

  const kept = await contentsOf(deputy.server.folder)
  const log = deputy.server.log.join('\n')
  const wire = sent()
  // What must be found is found, in each of the places: the search itself works.
  assert.ok(kept.includes('Ada Lovelace'), 'the account’s name is in the database')
  assert.ok(wire.includes('Ada Lovelace') && wire.includes('deputy-meta'), 'and on the wire')
  assert.ok(log.length > 0)
  const session = await home.session()
  assert.ok(
    formsOf(Buffer.from(session.token)).some(form => wire.includes(form)),
    'and so is what is sent on purpose',
  )

  assert.ok(secrets.size >= 4, `${secrets.size} secrets were seen`)
  const planted = [plantedText, plantedPath, 'planted folder 51e2', 'planted name 8d44', plantedType, code, code.replaceAll('-', '')]
  const needles = [...planted.map(text => Buffer.from(text)), ...[...secrets].map(hex => Buffer.from(hex, 'hex'))]
  for (const [what, haystack] of Object.entries({ kept, log, wire }))
    for (const needle of needles)
      for (const form of formsOf(needle)) assert.ok(!haystack.includes(form), `${what} holds ${needle.toString('latin1').slice(0, 12)}`)
})

test('FS-2: a pinned call is refused account-changed once another account acts, and nothing lands anywhere', async () => {
  const grace = await signUp(deputy.server, 'Grace')
  const pin = await home.page.evaluate(() => app.pin())
  await home.signIn(grace)
  await home.page.evaluate(() => app.changed(1))
  const codes = await home.page.evaluate(async accountPin => {
    const { files: fs } = app
    const pinned = { accountPin }
    const calls = [
      fs.list(pinned),
      fs.readFile('kinds/text', pinned),
      fs.readFileSealed('kinds/text', pinned),
      fs.writeFile('wrong', 'x', null, pinned),
      fs.remove('kinds/text', pinned),
      fs.stat('kinds/text', pinned),
      fs.readRange('kinds/text', { start: 0, ...pinned }),
      fs.writeFileIf('wrong', 'x', null, { base: null, ...pinned }),
      fs.removeIf('kinds/text', { base: '1', ...pinned }),
      fs.changes(pinned),
      // The pin comes before whatever else is wrong.
      fs.readFile('../bad', pinned),
    ]
    return Promise.all(calls.map(call => app.code(call)))
  }, pin)
  assert.deepEqual([...new Set(codes)], ['account-changed'])
  assert.deepEqual(ok(await deputy.server.call(listFileApps, {}, grace.token)).apps, [])
})

test('FS-5: an account without keys is locked, says so, and no call but unlock raises a card', async () => {
  const told = await home.page.evaluate(async () => {
    const { files: fs } = app
    const { code } = app
    return {
      encryption: await fs.encryption(),
      calls: [await code(fs.list()), await code(fs.readFile('a')), await code(fs.writeFile('a', 'x', null)), await code(fs.changes({}))],
      quota: (await app.value(fs.quota())).objects,
    }
  })
  assert.deepEqual(told, { encryption: { enrolled: false, keyEpoch: null, unlocked: false }, calls: ['locked', 'locked', 'locked', 'locked'], quota: 0 })
  assert.equal(await cards(), 0)
  await home.forget()
  const nobody = await home.page.evaluate(() => app.code(app.files.list()))
  assert.equal(nobody, 'denied')
  assert.equal(await home.page.evaluate(() => app.files.available()), false)
  assert.equal(await cards(), 0)
})
