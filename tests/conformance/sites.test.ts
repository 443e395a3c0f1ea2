import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { siteConfig } from '@deputy/contract/site-config'
import { fits } from '@deputy/contract/validate'
import { startTestServer, type TestServer } from '../support/start-test-server.ts'

const pageOf = (build: string): string => `<!doctype html><meta name="deputy-build" content="${build}"><title>page</title>`

describe('sites', () => {
  let folder: string
  let server: TestServer
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'deputy-sites-'))
    await mkdir(join(folder, 'broker', 'assets'), { recursive: true })
    await mkdir(join(folder, 'playground'))
    for (const name of ['frame', 'connect-button', 'sign-in', 'account']) await writeFile(join(folder, 'broker', `${name}.html`), pageOf('build-1'))
    await writeFile(join(folder, 'broker', 'assets', 'frame-ABCDEFGH.js'), 'export {}')
    await writeFile(join(folder, 'broker', '.hidden.json'), '{}')
    await writeFile(join(folder, 'secret.json'), '{}')
    await symlink(join(folder, 'secret.json'), join(folder, 'broker', 'assets', 'notes.unknown'))
    await writeFile(join(folder, 'playground', 'index.html'), '<!doctype html><title>playground</title>')
    await writeFile(join(folder, 'playground', 'sw.js'), '')
    server = await startTestServer({ sites: { broker: join(folder, 'broker'), playground: join(folder, 'playground') } })
  })
  after(async () => {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  })
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) => server.fetch(`${server.origins.broker}${path}`, { headers })
  const directive = (policy: unknown, name: string): string | undefined =>
    String(policy)
      .split('; ')
      .find(part => part.startsWith(`${name} `))

  test('frame and connect button may be framed by anyone, sign-in and account by nobody', async () => {
    for (const [path, ancestors] of [
      ['/frame', '*'],
      ['/connect-button', '*'],
      ['/sign-in', "'none'"],
      ['/account', "'none'"],
    ] as const) {
      const { status, headers } = await get(path)
      assert.deepEqual([path, status, directive(headers['content-security-policy'], 'frame-ancestors')], [path, 200, `frame-ancestors ${ancestors}`])
    }
  })

  test('no page runs inline or foreign scripts, and each speaks to the api and the cdn alone', async () => {
    for (const path of ['/frame', '/connect-button', '/sign-in', '/account', '/assets/frame-ABCDEFGH.js', '/missing']) {
      const { headers } = await get(path)
      const policy = headers['content-security-policy']
      assert.equal(directive(policy, 'default-src'), "default-src 'none'")
      // Where a passphrase may be typed, the code that stretches it is compiled; scripts stay our own files.
      const compiles = path === '/sign-in' || path === '/account'
      assert.equal(directive(policy, 'script-src'), compiles ? "script-src 'self' 'wasm-unsafe-eval'" : "script-src 'self'")
      assert.equal(directive(policy, 'style-src'), "style-src 'self'")
      assert.equal(
        directive(policy, 'connect-src'),
        `connect-src 'self' ${server.origins.api} ${server.origins.api.replace('http', 'ws')} ${server.origins.cdn}`,
      )
      assert.ok(!String(policy).replace(" 'wasm-unsafe-eval'", '').includes('unsafe'))
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['referrer-policy'], 'no-referrer')
      assert.equal(headers['set-cookie'], undefined)
      assert.match(String(headers['permissions-policy']), /camera=\(\)/)
    }
  })

  test('every answer can be embedded by an isolated app; the account page has no opener, sign-in keeps its own', async () => {
    for (const path of ['/frame', '/assets/frame-ABCDEFGH.js', '/config.json', '/missing']) {
      const { headers } = await get(path)
      assert.deepEqual([headers['cross-origin-embedder-policy'], headers['cross-origin-resource-policy']], ['require-corp', 'cross-origin'])
    }
    assert.equal((await get('/account')).headers['cross-origin-opener-policy'], 'same-origin')
    assert.equal((await get('/sign-in')).headers['cross-origin-opener-policy'], 'unsafe-none')
    assert.equal((await get('/frame')).headers['cross-origin-opener-policy'], 'unsafe-none')
  })

  test('a page is served under its own name only, so always with its own headers', async () => {
    for (const path of ['/account.html', '/frame.html', '/frame/', '/assets/../account.html', '/assets/%2e%2e/account.html', '//account'])
      assert.equal((await get(path)).status, 404, path)
  })

  test('nothing outside the folder, hidden or of an unknown type is served', async () => {
    for (const path of [
      '/.hidden.json',
      '/../secret.json',
      '/assets/../../secret.json',
      '/%2e%2e/secret.json',
      '/assets/notes.unknown',
      '/assets/',
      '/assets',
      '/assets/frame-ABCDEFGH.js/x.js',
      '/x%00.js',
    ])
      assert.equal((await get(path)).status, 404, path)
  })

  test('hashed files are kept for ever, pages are asked for again and answered 304 when unchanged', async () => {
    assert.equal((await get('/assets/frame-ABCDEFGH.js')).headers['cache-control'], 'public, max-age=31536000, immutable')
    const page = await get('/frame')
    assert.equal(page.headers['cache-control'], 'no-cache')
    const again = await get('/frame', { 'if-none-match': String(page.headers['etag']) })
    assert.deepEqual([again.status, again.text, again.headers['content-security-policy']], [304, '', page.headers['content-security-policy']])
    const head = await server.fetch(`${server.origins.broker}/frame`, { method: 'HEAD' })
    assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', page.headers['content-length']])
  })

  test('the configuration tells the deployment, and a newer build at once', async () => {
    const first = await get('/config.json')
    const config: unknown = JSON.parse(first.text)
    assert.ok(fits(siteConfig, config))
    assert.equal(first.headers['cache-control'], 'no-store')
    const { broker, api, cdn } = server.origins
    assert.deepEqual(config, { broker, api, cdn, build: 'build-1', providers: [] })
    await writeFile(join(folder, 'broker', 'frame.html'), pageOf('build-2-longer'))
    assert.equal((JSON.parse((await get('/config.json')).text) as { build: string }).build, 'build-2-longer')
  })

  test('sites are only read', async () => {
    for (const origin of [server.origins.broker, server.origins.playground ?? '']) {
      const { status, headers } = await server.fetch(`${origin}/frame`, { method: 'POST', body: 'x' })
      assert.deepEqual([status, headers['allow']], [405, 'GET, HEAD'])
    }
  })

  test('the playground shows its index on every path of its own, and may frame the broker', async () => {
    const origin = server.origins.playground ?? ''
    for (const path of ['/', '/share/one']) {
      const { status, text, headers } = await server.fetch(`${origin}${path}`)
      assert.deepEqual([status, /playground/.test(text)], [200, true])
      assert.equal(directive(headers['content-security-policy'], 'frame-src'), `frame-src ${server.origins.broker}`)
    }
    assert.equal((await server.fetch(`${origin}/missing.js`)).status, 404)
    assert.equal((await server.fetch(`${origin}/sw.js`)).headers['cache-control'], 'no-cache')
  })
})
