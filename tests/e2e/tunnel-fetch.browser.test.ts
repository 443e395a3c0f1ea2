import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { disconnectApp } from '@deputy/contract/api-apps'
import { readTunnelQuota } from '@deputy/contract/api-tunnel'
import { signInClient } from '../support/client-page.ts'
import { beginBody, forbidConnections, meddle, openReader, reading, readWhole } from '../support/body-reader.ts'
import type { Page } from 'playwright-core'
import type { TestApp, TestDeputy } from '../support/deputy.ts'
import { ok, type TestPerson } from '../support/test-accounts.ts'
import { httpOrigin, openTunnelApp, startTunnelDeputy, tcpOrigin, type Origin } from '../support/tunnel-scene.ts'

const large = randomBytes(4_000_000)
/** How often a huge body repeats the large one. */
const huge = process.env['DEPUTY_TEST_ROUNDS'] === undefined ? 4 : 17
const held: ServerResponse[] = []
const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
/** Paths that were asked for, and of them those whose caller gave up. */
const asked: string[] = []
const givenUp: string[] = []
const pages: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => unknown>> = {
  '/small': (_request, response) =>
    response
      .writeHead(201, 'Made Here', { 'content-type': 'text/plain', 'set-cookie': ['a=1', 'b=2'], 'svc-node': 'forged', 'x-many': ['one', 'two'] })
      .end('small'),
  '/large': (_request, response) => response.end(large),
  '/said': async (request, response) => {
    const body = await bodyOf(request)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ method: request.method, headers: request.headers, bytes: body.byteLength, digest: digestOf(body) }))
  },
  '/echo': (request, response) => {
    response.writeHead(200)
    request.pipe(response)
  },
  '/hop': (_request, response) => response.writeHead(302, { location: '/small' }).end(),
  '/loop': (_request, response) => response.writeHead(302, { location: '/loop' }).end(),
  '/inward': (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
  '/hangs': (request, response) => {
    response.on('close', () => givenUp.push(request.url ?? ''))
  },
  '/drips': (request, response) => {
    response.writeHead(200)
    response.write('first')
    response.on('close', () => givenUp.push(request.url ?? ''))
  },
  '/breaks': (_request, response) => {
    response.writeHead(200, { 'content-length': String(large.byteLength) })
    response.write(large.subarray(0, 1_000_000), () => response.socket?.resetAndDestroy())
  },
  // More than fits on the way, held back at the site: what is cut here is cut in the middle.
  '/holds': (request, response) => {
    if (!request.url?.includes('unsaid')) response.setHeader('content-length', String(64 * large.byteLength))
    response.on('close', () => givenUp.push(request.url ?? ''))
    held.push(response)
    response.write(large)
  },
  '/huge': async (request, response) => {
    if (!request.url?.includes('unsaid')) response.setHeader('content-length', String(huge * large.byteLength))
    for (let count = 0; count < huge; count += 1) if (!response.write(large)) await once(response, 'drain')
    response.end()
  },
  '/none': (_request, response) => response.writeHead(204).end(),
}

let deputy: TestDeputy
let ada: TestPerson
let home: TestApp
let origin: Origin & { readonly url: string }
before(async () => {
  ;({ deputy, ada } = await startTunnelDeputy({ connect: '2s' }))
  origin = await httpOrigin((request, response) => {
    asked.push(request.url ?? '')
    const page = pages[new URL(request.url ?? '', 'http://x').pathname]
    if (page === undefined) response.writeHead(404).end()
    else void page(request, response)
  })
  home = await openTunnelApp(deputy, 'home', ada)
})
after(async () => {
  await deputy?.[Symbol.asyncDispose]()
  await origin?.[Symbol.asyncDispose]()
})

test('NET-1, NET-2: a fetch answers a Response as the platform does, with the node in a header of its own', async () => {
  const answers = await home.page.evaluate(async url => {
    const told = (response: Response) => ({
      status: response.status,
      statusText: response.statusText,
      url: response.url,
      redirected: response.redirected,
      many: response.headers.get('x-many'),
      node: response.headers.get('svc-node'),
      cookies: response.headers.getSetCookie(),
    })
    const by = async (input: string | URL | Request) => {
      const response = net.won(await app.broker.cloud.fetch(input, {}))
      return { ...told(response), text: await response.text() }
    }
    const none = net.won(await app.broker.proxyFetch(`${url}/none`, {}))
    return [await by(`${url}/small#part`), await by(new URL(`${url}/hop`)), await by(new Request(`${url}/small`)), [none.status, none.body]]
  }, origin.url)
  const small = {
    status: 201,
    statusText: 'Made Here',
    url: `${origin.url}/small`,
    redirected: false,
    many: 'one, two',
    node: 'local',
    cookies: [],
    text: 'small',
  }
  assert.deepEqual(answers, [small, { ...small, redirected: true }, small, [204, null]])
})

test('NET-3: with spread true the answer names no node', async () => {
  const node = await home.page.evaluate(
    async url => net.won(await app.broker.cloud.fetch(`${url}/small`, { spread: true })).headers.get('svc-node'),
    origin.url,
  )
  assert.equal(node, null)
})

test('NET-1: bodies of every kind arrive with their method and headers; GET and HEAD carry none', async () => {
  const said = await home.page.evaluate(async url => {
    const answer = async (init: Parameters<typeof app.broker.cloud.fetch>[1], input: string | Request = url) => {
      const { method, headers, bytes, digest } = (await net.won(await app.broker.cloud.fetch(input, init)).json()) as Record<string, never>
      return { method, type: headers!['content-type'], own: headers!['x-own'], bytes, digest }
    }
    const bytes = app.bytes(1_500_000, 5)
    const stream = () => new Blob([bytes]).stream()
    return {
      digest: await app.sha256(bytes),
      text: await answer({ method: 'post', body: 'text', headers: [['X-Own', 'mine']] }),
      bytes: await answer({ method: 'PUT', body: bytes.slice() }),
      blob: await answer({ method: 'POST', body: new Blob([bytes], { type: 'image/png' }) }),
      stream: await answer({ method: 'POST', body: stream() }),
      request: await answer({}, new Request(url, { method: 'POST', body: stream(), duplex: 'half' } as RequestInit)),
      get: await answer({ method: 'GET', body: 'nothing of this' }),
    }
  }, `${origin.url}/said`)
  const { digest } = said
  assert.deepEqual(JSON.parse(JSON.stringify(said)), {
    digest,
    text: { method: 'POST', type: 'text/plain;charset=UTF-8', own: 'mine', bytes: 4, digest: digestOf(Buffer.from('text')) },
    bytes: { method: 'PUT', bytes: 1_500_000, digest },
    blob: { method: 'POST', type: 'image/png', bytes: 1_500_000, digest },
    stream: { method: 'POST', bytes: 1_500_000, digest },
    request: { method: 'POST', bytes: 1_500_000, digest },
    get: { method: 'GET', bytes: 0, digest: digestOf(Buffer.alloc(0)) },
  })
})

test('NET-1: a long answer arrives whole, its length said before, and a body is sent while the answer is read', async () => {
  const seen = await home.page.evaluate(async url => {
    const long = net.won(await app.broker.cloud.fetch(`${url}/large`, {}))
    const length = long.headers.get('content-length')
    const whole = await app.drain(long.body!)
    // The second piece is sent only after the first has come back.
    const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>()
    const writer = writable.getWriter()
    void writer.write(new TextEncoder().encode('one'))
    const response = net.won(await app.broker.cloud.fetch(`${url}/echo`, { method: 'POST', body: readable }))
    const reader = response.body!.getReader()
    const first = new TextDecoder().decode((await reader.read()).value)
    void writer.write(new TextEncoder().encode('two'))
    const second = new TextDecoder().decode((await reader.read()).value)
    await writer.close()
    return { digest: whole instanceof Uint8Array ? await app.sha256(whole) : whole, length, first, second, done: (await reader.read()).done }
  }, origin.url)
  assert.deepEqual(seen, { digest: digestOf(large), length: String(large.byteLength), first: 'one', second: 'two', done: true })
})

test('NET-1: redirects are followed, shown or refused, and never lead where the tunnel may not', async () => {
  const seen = await home.page.evaluate(async url => {
    const by = async (path: string, redirect: 'error' | 'follow' | 'manual') => {
      const answer = await app.broker.cloud.fetch(url + path, { redirect })
      return 'error' in answer && typeof answer.error === 'string' ? answer.error : [(answer as Response).status, (answer as Response).headers.get('location')]
    }
    return [await by('/hop', 'manual'), await by('/hop', 'error'), await by('/loop', 'follow'), await by('/inward', 'follow')]
  }, origin.url)
  assert.deepEqual(seen, [[302, '/small'], 'invalid', 'invalid', 'EACCES'])
})

test('NET-1: aborting gives the request up here and at the site, before and after its head', async () => {
  const hanging = home.page.evaluate(url => {
    const early = new AbortController()
    net.kept.told.push(early)
    return app.broker.cloud.fetch(`${url}/hangs`, { signal: early.signal })
  }, origin.url)
  while (!asked.includes('/hangs')) await new Promise(resolve => setTimeout(resolve, 20))
  await home.page.evaluate(() => (net.kept.told[0] as AbortController).abort())
  const answer = await hanging
  const seen = await home.page.evaluate(async url => {
    const late = new AbortController()
    const response = net.won(await app.broker.cloud.fetch(`${url}/drips`, { signal: late.signal }))
    const reader = response.body!.getReader()
    const first = new TextDecoder().decode((await reader.read()).value)
    late.abort()
    const ended = await reader.read().then(
      () => 'more',
      (error: { code?: string }) => error.code,
    )
    return [first, ended, await app.broker.cloud.fetch(url, { signal: AbortSignal.abort() })]
  }, origin.url)
  const aborted = { error: 'aborted', message: 'cloud: aborted' }
  assert.deepEqual([answer, ...seen], [aborted, 'first', 'aborted', aborted])
  while (givenUp.length < 2) await new Promise(resolve => setTimeout(resolve, 20))
  assert.deepEqual(givenUp.toSorted(), ['/drips', '/hangs'])
})

test('NET-1: a body that breaks off is an error with a code, never a short body', async () => {
  const ending = await home.page.evaluate(async url => net.ending(net.won(await app.broker.cloud.fetch(`${url}/breaks`, {})).body!), origin.url)
  assert.equal(ending.code, 'ECONNRESET')
  assert.ok(ending.bytes < large.byteLength)
})

test('NET-1: errors are told apart: name, refusal, forbidden target, url, no HTTP, time', async () => {
  await using odd = await tcpOrigin(socket => socket.once('data', () => socket.write('this is no HTTP\r\n\r\n')))
  await using closed = await tcpOrigin(socket => socket.resetAndDestroy())
  const codes = await home.page.evaluate(
    async ([url, oddPort, resetPort]) => {
      const code = async (input: string, init = {}) => {
        const answer = await app.broker.cloud.fetch(input, init)
        return 'error' in answer && typeof answer.error === 'string' ? answer.error : (answer as Response).status
      }
      return {
        name: await code('http://nowhere.invalid/'),
        refused: await code('http://127.0.0.1:1/'),
        forbidden: await code('http://[::ffff:169.254.169.254]/'),
        scheme: await code('ftp://127.0.0.1/'),
        words: await code('no url'),
        method: await code(url, { method: 'TRACE' }),
        odd: await code(`http://127.0.0.1:${oddPort}/`),
        reset: await code(`http://127.0.0.1:${resetPort}/`),
        missing: await code(`${url}/missing`),
      }
    },
    [origin.url, odd.port, closed.port] as const,
  )
  assert.deepEqual(codes, {
    name: 'ENOTFOUND',
    refused: 'ECONNREFUSED',
    forbidden: 'EACCES',
    scheme: 'invalid',
    words: 'invalid',
    method: 'invalid',
    odd: 'unavailable',
    reset: 'ECONNRESET',
    missing: 404,
  })
})

test('NET-4: a lookup answers one address or none, or a list with all', async () => {
  const seen = await home.page.evaluate(async () => [
    await app.broker.cloud.dns.lookup('127.0.0.1'),
    await app.broker.dnsLookup('127.0.0.1', { all: true }),
    (await app.broker.cloud.dns.lookup('nowhere.invalid')) ?? 'none',
    await app.broker.cloud.dns.lookup('nowhere.invalid', { all: true }),
    (await app.broker.cloud.dns.lookup('127.0.0.1', { family: 6 })) ?? 'none',
  ])
  const one = { address: '127.0.0.1', family: 4 }
  assert.deepEqual(seen, [one, [one], 'none', [], 'none'])
})

test('NET-11: quota tells what the account has used', async () => {
  const before = await home.page.evaluate(() => app.broker.quota())
  assert.deepEqual(Object.keys(before).toSorted(), ['bytesPerSecond', 'limitBytes', 'overQuota', 'premium', 'remaining', 'usedBytes'])
  await home.page.evaluate(async url => app.drain(net.won(await app.broker.cloud.fetch(`${url}/large`, {})).body!), origin.url)
  const after = await home.page.evaluate(() => app.broker.quota())
  assert.ok(after.usedBytes - before.usedBytes >= large.byteLength, 'the body was metered')
  assert.equal(after.overQuota, false)
  assert.equal(ok(await deputy.server.call(readTunnelQuota, {}, ada.token)).usedBytes, after.usedBytes)
})

test('NET-1: without an account nothing goes out, and signing out ends what is under way', async () => {
  const guest = await openTunnelApp(deputy, 'guest')
  const refusals = await guest.page.evaluate(async url => {
    const asked = await app.broker.cloud.fetch(url, {})
    const found = await app.broker.cloud.dns.lookup('127.0.0.1')
    const told = await app.broker.quota().then(
      () => 'told',
      (error: { code?: string }) => error.code,
    )
    return [asked, found, told]
  }, `${origin.url}/small`)
  const needsAccount = { error: 'denied', message: 'cloud: the tunnel needs an account' }
  assert.deepEqual(refusals, [needsAccount, needsAccount, 'denied'])

  await guest.signIn(ada)
  const code = await guest.page.evaluate(async url => {
    const response = net.won(await app.broker.cloud.fetch(`${url}/drips?guest`, {}))
    const reader = response.body!.getReader()
    await reader.read()
    await app.broker.account.logout()
    return reader.read().then(
      () => 'more',
      (error: { code?: string }) => error.code,
    )
  }, origin.url)
  assert.equal(code, 'ETUNNEL')
})

test('NET-1: a long body is read by the page itself; where its policy or its worker forbids that by the broker, and nothing else differs', async () => {
  const readers = {
    page: await openReader(deputy, ada, 'reader'),
    policy: await openReader(deputy, ada, 'strict'),
    worker: await openReader(deputy, ada, 'meddled'),
  }
  await forbidConnections(readers.policy.page)
  await meddle(deputy, readers.worker.page, 'meddled')
  const expected = {
    bytes: huge * large.byteLength,
    copied: huge * large.byteLength,
    digest: digestOf(Buffer.concat(Array.from({ length: huge }, () => large))),
    status: 200,
    type: 'default',
    redirected: false,
    node: 'local',
  }
  for (const [name, { page, bodies }] of Object.entries(readers)) {
    for (const path of ['/huge', '/huge?unsaid']) assert.deepEqual(await readWhole(page, origin.url + path), { ...expected, url: origin.url + path }, name)
    const asked = { by: name === 'page' ? 'page' : 'broker', method: 'POST', path: '/v1/tunnel/body', referer: '' }
    assert.deepEqual(bodies, [asked, asked], name)
    await page.close()
  }
})

/** Begins to read a body that its site holds back in the middle; answers the site's end of it. */
async function holding(page: Page, path: string): Promise<ServerResponse> {
  const before = held.length
  await beginBody(page, origin.url + path)
  assert.equal(held.length, before + 1)
  return held.at(-1) as ServerResponse
}

test('NET-1: a body the page reads that breaks in its middle is an error with a code, whether its length was said or not', async () => {
  const { page, bodies } = await openReader(deputy, ada, 'cut')
  for (const path of ['/holds', '/holds?unsaid']) {
    const response = await holding(page, path)
    response.socket?.resetAndDestroy()
    assert.equal(await reading(page), 'ECONNRESET', path)
  }
  assert.deepEqual(
    bodies.map(({ by }) => by),
    ['page', 'page'],
  )
  await page.close()
})

test('NET-1: aborting or cancelling a body the page reads ends it at the site, and so do signing out and taking the app off the account', async () => {
  const { page, bodies } = await openReader(deputy, ada, 'ended')
  const ends = {
    aborted: () => page.evaluate(() => begun.stop.abort()),
    ETUNNEL: () => page.evaluate(() => realm.client.account.logout()),
  }
  for (const [code, end] of Object.entries(ends)) {
    const response = await holding(page, `/holds?${code}`)
    const closed = once(response, 'close')
    await end()
    assert.equal(await reading(page), code)
    await closed
  }
  await signInClient(deputy, page, ada)
  await page.reload()
  await page.waitForFunction(() => 'realm' in globalThis)
  const cancelled = await holding(page, '/holds?cancelled')
  const gone = once(cancelled, 'close')
  await page.evaluate(() => void begun.reader.cancel())
  await gone
  const removed = await holding(page, '/holds?removed')
  const closed = once(removed, 'close')
  ok(await deputy.server.call(disconnectApp, { app: `web:${new URL(page.url()).origin}` }, ada.token))
  assert.equal(await reading(page), 'ETUNNEL')
  await closed
  assert.ok(bodies.every(({ by }) => by === 'page'))
  await page.close()
})

test('NET-11: a body the page reads is metered, and told to the broker as it comes', async () => {
  const { page } = await openReader(deputy, ada, 'metered')
  const used = () => page.evaluate(async () => (await realm.cloud.quota()).usedBytes)
  const before = await used()
  await readWhole(page, `${origin.url}/huge`)
  assert.ok((await used()) - before >= huge * large.byteLength)
  await page.close()
})
