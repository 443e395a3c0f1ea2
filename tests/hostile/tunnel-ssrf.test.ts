import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { createServer, type Server } from 'node:net'
import { after, before, test } from 'node:test'
import { boundFrame, listeningFrame, type TunnelRequest } from '@deputy/contract/tunnel-wire'
import { parse } from '@deputy/contract/validate'
import { FRAME, fromJson, toJson, writeDatagram, type Dial, type FrameType } from '@deputy/tunnel'
import { startTunnelNode, type TestNode } from '../support/tunnel-node.ts'

/** Addresses nobody may reach through a node: this machine, private and link-local networks, metadata services, what embeds them, and what is no host. */
const inner4 = [
  ...['0.0.0.0', '0.0.0.1', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.0.0.2', '127.255.255.254'],
  ...['169.254.0.1', '169.254.169.254', '169.254.170.2', '172.16.0.1', '172.31.255.255', '192.0.0.8', '192.0.0.170', '192.0.2.1', '192.88.99.1'],
  ...[
    '192.168.0.1',
    '192.168.255.255',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
  ],
]
const inner6 = [
  ...[
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '0000:0000:0000:0000:0000:0000:0000:0001',
    '::2',
    '::127.0.0.1',
    '::7f00:1',
    'fc00::1',
    'fd00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%lo',
  ],
  ...['fe80::1%1', 'fec0::1', 'ff02::1', 'ff0e::1', '100::1', '2001::1', '2001:0:7f00:1::', '2001:10::1', '2001:20::1', '2001:db8::1', '3fff::1', '5f00::1'],
  // What embeds an address of the other family.
  ...[
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::FFFF:127.0.0.1',
    '0:0:0:0:0:ffff:7f00:0001',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::ffff:0:127.0.0.1',
  ],
  ...['64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1', '64:ff9b::a9fe:a9fe', '2002:7f00:1::', '2002:a00:1::', '2002:a9fe:a9fe::', '2002:c0a8:1::1'],
]
/** Spellings that a resolver, a URL parser or a socket library may read as this machine. */
const odd = [
  ...['localhost', 'LOCALHOST', 'localhost.', 'LocalHost.', 'a.localhost', 'a.b.localhost.', 'api.example', 'API.EXAMPLE', 'api.example.'],
  ...[
    '127.1',
    '127.0.1',
    '127.000.000.001',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '0x7f.1',
    '0x7f000001',
    '0X7F000001',
    '2130706433',
    '017700000001',
    '0177.1',
    '0x7f.0x0.0x0.0x1',
  ],
  ...[
    '127.0.0.1.',
    '127.0.0.01',
    '00000177.0.0.1',
    '0x0000007f.0.0.1',
    '4294967295',
    '0',
    '0.0',
    '00',
    '0x0',
    '10.1',
    '10.0.1',
    '0xa000001',
    '167772161',
    '012.0.0.1',
    '0xc0a80001',
    '3232235521',
  ],
  ...['2852039166', '0xa9fea9fe', '0xa9.0xfe.0xa9.0xfe', '0251.0376.0251.0376', '169.254.43518', '169.16689662', '192.168.1', '192.168.257', '172.1048577'],
  ...['１２７.０.０.１', '127。0。0。1', '１27.0.0.1', '127.0.0.1', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'ｌｏｃａｌｈｏｓｔ', 'loc\u00ADalhost', '①②⑦.⓪.⓪.①', '０x7f.1'],
  ...[
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::1',
    '::1]',
    '[fe80::1%25lo]',
    '%31%32%37.0.0.1',
    '127.0.0.1%00.example.com',
    '127.0.0.1\u0000.example.com',
    '127.0.0.1 ',
    ' 127.0.0.1',
    '\t127.0.0.1',
  ],
  ...[
    '127.0.0.1:80',
    '127.0.0.1/',
    'http://127.0.0.1',
    'user@127.0.0.1',
    '127.0.0.1#x',
    '127.0.0.1?x',
    '127.0.0.1\\x',
    '..',
    '.',
    '-',
    '*',
    '*.localhost',
    '127.0.0.1,8.8.8.8',
    '256.256.256.256',
  ],
  ...[
    '127.0.0.1.nip.invalid',
    'localhost.localdomain',
    'ip6-localhost',
    'ip6-loopback',
    '1.0.0.127.in-addr.arpa',
    'a'.repeat(253),
    'xn--',
    'xn--127-',
    '\u202e1.0.0.721',
  ],
]
const spellings = [...new Set([...inner4, ...inner6, ...inner6.map(address => `[${address}]`), ...odd])]

let node: TestNode
let dial: Dial
let trap: Server
let place: Server
let touched = 0
let port = 0
let placePort = 0
before(async () => {
  place = createServer(socket => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nplace'))
  await new Promise<void>(resolve => place.listen(0, '0.0.0.0', resolve))
  placePort = (place.address() as { port: number }).port
  // One place of this machine is allowed by its port, which must open nothing else.
  node = await startTunnelNode({ rules: { allow: [`127.7.7.7:${placePort}`], deny: [], ports: ['25'], listen: ['127.0.0.1'], own: ['api.example'] } })
  dial = node.dial()
  trap = createServer(socket => {
    touched += 1
    socket.destroy()
  })
  await new Promise<void>(resolve => trap.listen(0, '::', resolve))
  port = (trap.address() as { port: number }).port
})
after(async () => {
  dial.close()
  trap.close()
  place.close()
  await node.close()
})

/** The code a stream ends with, or what it answered. */
const outcome = (type: FrameType, asked: unknown, on = dial): Promise<string> =>
  new Promise(resolve => {
    const stream = on.session.open(type, toJson(asked))
    stream.hear({ frame: kind => resolve(`answered ${kind}`), reset: ({ code }) => resolve(code) })
    if (type !== FRAME.open) stream.end()
  })
const isRefused = (code: string): boolean => code === 'EACCES' || code === 'EINVAL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'

test('there are at least 150 spellings, and the trap works', async () => {
  assert.ok(spellings.length >= 150, `${spellings.length} spellings`)
  const open = await startTunnelNode()
  const way = open.dial()
  const reached = new Promise<void>(resolve => trap.once('connection', () => resolve()))
  way.session.open(FRAME.open, toJson({ host: '127.0.0.1', port }))
  await reached
  assert.equal(touched, 1)
  touched = 0
  way.close()
  await open.close()
})

test('no spelling of a forbidden target is connected to', async () => {
  for (const host of spellings) {
    const code = await outcome(FRAME.open, { host, port })
    assert.ok(isRefused(code), `${JSON.stringify(host)}: ${code}`)
  }
  assert.equal(touched, 0)
})

test('no spelling is resolved, nor the remote end of a UDP socket', async () => {
  const socket = dial.session.open(FRAME.bind, toJson({ type: 'udp4', address: '127.0.0.1', port: 0 }))
  await new Promise<void>(resolve => socket.hear({ frame: () => resolve() }))
  for (const host of spellings) {
    const resolved = await outcome(FRAME.resolve, { host, family: 0 })
    assert.ok(isRefused(resolved), `${JSON.stringify(host)}: ${resolved}`)
    const said = await new Promise<unknown>(resolve => {
      socket.hear({ frame: (_type, payload) => resolve(fromJson(payload)) })
      socket.send(FRAME.connect, toJson({ address: host, port }))
    })
    assert.ok(isRefused((said as { code: string }).code), `${JSON.stringify(host)}: ${JSON.stringify(said)}`)
  }
})

test('no datagram leaves for a forbidden address', async () => {
  const quarry = createSocket('udp4')
  let caught = 0
  quarry.on('message', () => (caught += 1))
  await new Promise<void>(resolve => quarry.bind(0, '127.0.0.1', resolve))
  const stream = dial.session.open(FRAME.bind, toJson({ type: 'udp4', address: '127.0.0.1', port: 0 }))
  const local = await new Promise<{ port: number }>(resolve => stream.hear({ frame: (_type, payload) => resolve(parse(boundFrame, fromJson(payload)).local) }))
  for (const address of [...inner4, ...inner6.filter(one => !one.includes('%'))])
    stream.send(FRAME.datagram, writeDatagram({ address, port: quarry.address().port, data: Uint8Array.of(1) }))
  // What was sent before is dealt with once this was.
  await dial.session.ping()
  await outcome(FRAME.resolve, { host: '10.0.0.1', family: 0 })
  const own = createSocket('udp4')
  const arrived = new Promise<void>(resolve => quarry.once('message', () => resolve()))
  own.send(Uint8Array.of(2), quarry.address().port, '127.0.0.1')
  await arrived
  assert.equal(caught, 1, 'only the one of this test')
  assert.ok(local.port > 0)
  own.close()
  quarry.close()
})

test('no spelling is fetched, whatever the scheme; nor followed to', async () => {
  const fetching = (url: string): Promise<string> => {
    const asked: TunnelRequest = { method: 'GET', url, headers: [], redirect: 'follow', body: false }
    return outcome(FRAME.request, asked)
  }
  for (const host of spellings) {
    for (const url of [`http://${host}:${port}/`, `https://${host}:${port}/`]) {
      const code = await fetching(url)
      assert.ok(isRefused(code), `${JSON.stringify(url)}: ${code}`)
    }
  }
  for (const url of [
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://127.0.0.1/',
    'data:,x',
    'http:///',
    'http://',
    'javascript:1',
    '//127.0.0.1/',
    'blob:http://x/1',
  ])
    assert.equal(await fetching(url), 'EINVAL', url)
  assert.equal(touched, 0)
})

test('a place that is allowed by its port is reached by address and by name, and no other port of it', async () => {
  const open = await startTunnelNode({ rules: { allow: [`127.0.0.1:${placePort}`], deny: [], ports: ['25'], listen: [], own: [] } })
  const way = open.dial()
  const fetching = (host: string, at: number): Promise<string> =>
    outcome(FRAME.request, { method: 'GET', url: `http://${host}:${at}/`, headers: [], redirect: 'follow', body: false } satisfies TunnelRequest, way)
  for (const host of ['127.0.0.1', 'localhost', 'any.localhost']) {
    assert.equal(await outcome(FRAME.open, { host, port: placePort }, way), `answered ${FRAME.opened}`, host)
    assert.equal(await fetching(host, placePort), `answered ${FRAME.response}`, host)
    assert.equal(await outcome(FRAME.open, { host, port }, way), 'EACCES', host)
    assert.equal(await fetching(host, port), 'EACCES', host)
  }
  assert.equal(touched, 0)
  way.close()
  await open.close()
})

test('what an app listens on is reached through the node for as long as it listens', async () => {
  const listener = dial.session.open(FRAME.listen, toJson({ address: '127.0.0.1', port: 0 }))
  const { local } = await new Promise<{ local: { port: number } }>(resolve =>
    listener.hear({ frame: (_type, payload) => resolve(parse(listeningFrame, fromJson(payload))) }),
  )
  const to = { host: '127.0.0.1', port: local.port }
  assert.equal(await outcome(FRAME.open, to), `answered ${FRAME.opened}`)
  const over = new Promise<void>(resolve => listener.whenOver(resolve))
  listener.hear({ end: () => undefined })
  listener.end()
  await over
  assert.equal(await outcome(FRAME.open, to), 'EACCES')
})
