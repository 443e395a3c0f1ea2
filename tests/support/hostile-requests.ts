import { randomUUID } from 'node:crypto'
import * as accounts from '@deputy/contract/api-accounts'
import * as apps from '@deputy/contract/api-apps'
import * as files from '@deputy/contract/api-files'
import * as keys from '@deputy/contract/api-keys'
import * as objects from '@deputy/contract/api-objects'
import * as sessions from '@deputy/contract/api-sessions'
import { pathOf, type Route } from '@deputy/contract/api'
import { bodyOf, type Shape } from '@deputy/contract/shape'

/** What a hostile caller knows and holds. */
export interface Spoils {
  /** Hosts of the origins. */
  readonly hosts: { readonly broker: string; readonly api: string; readonly cdn: string }
  readonly broker: string
  /** Tokens of the caller's own sessions. */
  readonly tokens: readonly string[]
  /** Ids of other people's objects and of the caller's own. */
  readonly ids: readonly string[]
  /** Names of other people's files and of the caller's own. */
  readonly names: readonly string[]
}

/** A request as the bytes to send. */
export interface HostileRequest {
  readonly kind: string
  readonly bytes: Buffer
}

type Random = () => number
type Make = (random: Random, spoils: Spoils) => Buffer | string

/** Calls that would end the caller's own sessions. */
const lastCalls = ['accounts/delete', 'apps/disconnect', 'sessions/end', 'sessions/renew', 'sessions/revoke']
const routes = (Object.values({ ...accounts, ...apps, ...files, ...keys, ...objects, ...sessions }) as readonly unknown[]).filter(
  (value): value is Route =>
    typeof value === 'object' && value !== null && 'area' in value && 'name' in value && !lastCalls.includes(`${String(value.area)}/${String(value.name)}`),
)

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
const whole = (random: Random, below: number): number => Math.floor(random() * below)
const junk = (random: Random, length: number): Buffer => Buffer.from(Array.from({ length }, () => whole(random, 256)))

const strange: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e308,
    -1e308,
    2 ** 53,
    2 ** 31,
    -0,
    '',
    ' ',
    '\0',
    '\u202e',
    '😀',
    'a'.repeat(9000),
    '../../etc/passwd',
    "' or 1=1 --",
    '${7*7}',
  ],
  ...[
    [],
    {},
    [[]],
    [null],
    { length: 5 },
    { toString: 1 },
    { __proto__: null },
    { constructor: { prototype: {} } },
    JSON.parse('{"then":1}') as unknown,
    { error: 'unavailable' },
  ],
]
const strings: readonly string[] = [
  '',
  'x',
  'web:http://victim.localhost:8000',
  'web:null',
  'a@b.c',
  '00000000',
  '\ud800',
  '🧨'.repeat(20),
  'A'.repeat(43),
  '{}',
  'null',
  '-1',
]

/** A value of the shape, or nearly. */
function valueOf(of: Shape, random: Random, spoils: Spoils): unknown {
  if (random() < 0.1) return pick(random, strange)
  const body = bodyOf(of)
  switch (body.kind) {
    case 'object':
      return Object.fromEntries(Object.entries(body.members).map(([name, member]) => [name, valueOf(member, random, spoils)]))
    case 'string':
      return random() < 0.5 ? pick(random, [...spoils.ids, ...spoils.names, randomUUID()]) : pick(random, strings)
    case 'number':
      return pick(random, [0, 1, 5, 1000, 1001, 2 ** 20, 5 * 2 ** 30, 2 ** 53 - 1, 2 ** 53, -1, 0.5])
    case 'boolean':
      return random() < 0.5
    case 'oneOf':
      return pick(random, body.values)
    case 'nullable':
    case 'optional':
      return random() < 0.3 ? null : valueOf(body.of, random, spoils)
    case 'list':
      return Array.from({ length: whole(random, 4) }, () => valueOf(body.of, random, spoils))
    case 'dictionary':
      return { key: valueOf(body.of, random, spoils), ['__proto__']: 1 }
    default:
      return pick(random, strange)
  }
}

const token = (random: Random, spoils: Spoils): string => {
  const own = pick(random, spoils.tokens)
  const flipped = own.slice(0, 20) + (own[20] === 'A' ? 'B' : 'A') + own.slice(21)
  if (random() < 0.75) return own
  return pick(random, [flipped, own.slice(1), `${own}=`, '', 'null', 'A'.repeat(43), 'A'.repeat(5000), `${own} ${own}`, own.toLowerCase()])
}
const authorization = (random: Random, spoils: Spoils): string[] => {
  const made = `authorization: ${random() < 0.85 ? 'Bearer' : pick(random, ['bearer', 'Basic', 'Bearer ', ''])} ${token(random, spoils)}`
  return random() < 0.05 ? [] : random() < 0.05 ? [made, `authorization: Bearer ${token(random, spoils)}`] : [made]
}

const message = (line: string, headers: readonly string[], body: Buffer | string = ''): Buffer =>
  Buffer.concat([Buffer.from(`${line}\r\n${['connection: close', ...headers].join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)])
const json = (path: string, spoils: Spoils, body: Buffer | string, more: readonly string[]): Buffer =>
  message(`POST ${path} HTTP/1.1`, [`host: ${spoils.hosts.api}`, 'content-type: application/json', `content-length: ${Buffer.byteLength(body)}`, ...more], body)

const nearlyRight: Make = (random, spoils) => {
  const route = pick(random, routes)
  return json(pathOf(route), spoils, JSON.stringify(valueOf(route.body, random, spoils)), authorization(random, spoils))
}

const badJson: Make = (random, spoils) => {
  const deep = 1 + whole(random, 50_000)
  const bodies = [
    '',
    '{',
    '}',
    '[',
    'undefined',
    '{"id":}',
    '{"id":"\\u00',
    '\ufeff{}',
    "{'id':1}",
    '{"a":1}{"a":2}',
    'NaN',
    '1e999',
    '"'.repeat(50),
    '[1,]',
    '{"__proto__":{"account":"x"}}',
    '{"id":1,"id":2}',
    '\0\0\0\0',
  ]
  const body = pick<Buffer | string>(random, [
    ...bodies,
    '['.repeat(deep),
    `${'['.repeat(deep)}${']'.repeat(deep)}`,
    `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`,
    junk(random, whole(random, 300)),
    JSON.stringify({ id: 'x'.repeat(200_000) }),
    'x'.repeat(300_000),
    Buffer.from([0xff, 0xfe, 0x7b, 0x7d]),
  ])
  return json(pathOf(pick(random, routes)), spoils, body, authorization(random, spoils))
}

const badType: Make = (random, spoils) =>
  message(
    `${pick(random, ['POST', 'POST', 'GET', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'TRACE', 'OPTIONS', 'QUERY', 'post', 'P\u00d6ST'])} ${pathOf(pick(random, routes))} HTTP/1.1`,
    [
      `host: ${spoils.hosts.api}`,
      `content-type: ${pick(random, ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/json; charset=utf-7', '', 'application/json, text/html'])}`,
      `origin: ${pick(random, [spoils.broker, 'null', 'http://evil.example', `${spoils.broker}.evil.example`, 'file://', '*', spoils.broker.toUpperCase()])}`,
      'content-length: 2',
      ...authorization(random, spoils),
    ],
    '{}',
  )

const framing: Make = (random, spoils) => {
  const host = `host: ${pick(random, Object.values(spoils.hosts))}`
  const path = pick(random, [pathOf(pick(random, routes)), '/', `/${pick(random, spoils.ids)}`])
  const auth = authorization(random, spoils)
  return pick<() => Buffer | string>(random, [
    () => message(`POST ${path} HTTP/1.1`, [host, 'content-length: 5', 'transfer-encoding: chunked', ...auth], '0\r\n\r\nGET / HTTP/1.1\r\n\r\n'),
    () => message(`POST ${path} HTTP/1.1`, [host, 'content-length: 2', 'content-length: 3', ...auth], '{}x'),
    () =>
      message(
        `POST ${path} HTTP/1.1`,
        [host, `content-length: ${pick(random, ['-1', '1e3', '0x10', '99999999999999999999', '+5', ' ', '5, 5'])}`, ...auth],
        '{}',
      ),
    () =>
      message(
        `POST ${path} HTTP/1.1`,
        [host, `transfer-encoding: ${pick(random, ['chunked, identity', 'xchunked', 'gzip', 'chunked\t', ' chunked'])}`, ...auth],
        '5\r\nhello\r\n0\r\n\r\n',
      ),
    () =>
      message(
        `POST ${path} HTTP/1.1`,
        [host, 'transfer-encoding: chunked', 'content-type: application/json', ...auth],
        pick(random, ['zz\r\n{}\r\n', 'ffffffffffffffff\r\n{}', '2;x=y\r\n{}\r\n0\r\n\r\n', '2\r\n{}\r\n0\r\nhost: evil\r\n\r\n', '2\r\n{}']),
      ),
    () => message(`POST ${path} HTTP/1.1`, [host, 'content-type: application/json', 'content-length: 500', ...auth], '{"id":'),
    () => message(`GET ${path} HTTP/1.1`, [host, `x-long: ${'a'.repeat(whole(random, 40_000))}`]),
    () => message(`GET ${path} HTTP/1.1`, [host, ...Array.from({ length: whole(random, 3000) }, (_, index) => `x${index}: 1`)]),
    () => message(`GET ${path}${'a'.repeat(whole(random, 40_000))} HTTP/1.1`, [host]),
    () => message(`GET ${path} HTTP/${pick(random, ['1.0', '0.9', '2.0', '1.2', '9', 'x', ''])}`, [host]),
    () =>
      message(`GET ${path} HTTP/1.1`, [
        host,
        pick(random, [
          'no colon',
          ': empty',
          'x\0y: z',
          'x: a\0b',
          ' folded: 1',
          'x: \u00ff\u00fe',
          'connection: upgrade\r\nupgrade: websocket',
          'expect: 100-continue',
          'expect: 200-nothing',
          'upgrade: h2c\r\nconnection: upgrade',
        ]),
      ]),
    () =>
      message(
        `GET ${path} HTTP/1.1`,
        pick(random, [
          [],
          [host, 'host: evil.example'],
          ['host: evil.example'],
          ['host:'],
          [`host: ${'a'.repeat(300)}`],
          ['host: [::1'],
          ['host: a b'],
          [`${host}.`],
          ['host: api.localhost:1'],
          [`host: user@${spoils.hosts.api}`],
        ]),
      ),
    () =>
      message(
        `${pick(random, ['GET', 'CONNECT', 'PRI', 'OPTIONS'])} ${pick(random, ['*', 'http://evil.example/', `http://${spoils.hosts.api}${path}`, 'evil.example:443', '', '/ /', '?', '#', 'file:///etc/passwd'])} HTTP/1.1`,
        [host],
      ),
    () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
    () => `GET ${path} HTTP/1.1\n${host}\n\n`,
    () => junk(random, 1 + whole(random, 400)),
    () => Buffer.concat([message(`GET ${path} HTTP/1.1`, [host]), message(`GET ${path} HTTP/1.1`, [host]), junk(random, 50)]),
  ])()
}

const paths: Make = (random, spoils) => {
  const id = pick(random, spoils.ids)
  const step = () =>
    pick(random, [
      '..',
      '.',
      '%2e%2e',
      '%2f',
      '%5c',
      '\\',
      '%00',
      '%',
      '%zz',
      '%ff',
      '%c0%ae',
      '//',
      ';',
      'v1',
      'objects',
      id,
      'parts',
      '0',
      'list',
      'config.json',
      'sign-in',
      'frame',
      'assets',
      '\u00e9',
      '__proto__',
      'constructor',
      '?x',
      '&',
      '*',
      ':id',
    ])
  const path = pick(random, [
    () => Array.from({ length: 1 + whole(random, 8) }, () => `/${step()}`).join(''),
    () => `/v1/objects/${step()}/parts/${step()}`,
    () => `/${id}${step()}`,
    () => `/${'../'.repeat(whole(random, 12))}${pick(random, ['etc/passwd', 'rows.sqlite', 'secret', 'package.json'])}`,
    () => `/${'%2e%2e%2f'.repeat(1 + whole(random, 12))}${pick(random, ['etc/passwd', 'rows.sqlite', 'secret', 'package.json'])}`,
  ])()
  return message(`${pick(random, ['GET', 'GET', 'HEAD', 'POST', 'PUT', 'OPTIONS', 'DELETE'])} ${path} HTTP/1.1`, [
    `host: ${pick(random, Object.values(spoils.hosts))}`,
    'content-length: 0',
    ...authorization(random, spoils),
  ])
}

const ranges: Make = (random, spoils) => {
  const number = () => pick(random, ['', '0', '1', '27', '28', '99999999999999999999', '-5', '1e3', '0x1', '٣', ' ', String(whole(random, 3_000_000))])
  const range = () => `${number()}-${number()}`
  return message(`${pick(random, ['GET', 'GET', 'HEAD'])} /${pick(random, spoils.ids)} HTTP/1.1`, [
    `host: ${spoils.hosts.cdn}`,
    `range: ${pick(random, ['bytes=', 'bytes=', 'bytes=', 'BYTES=', 'bytes = ', 'items=', ''])}${Array.from({ length: 1 + (random() < 0.3 ? whole(random, 400) : 0) }, range).join(',')}`,
    `${pick(random, ['if-range', 'if-none-match', 'if-match', 'if-modified-since', 'x'])}: ${pick(random, ['*', '"', '""', `"${pick(random, spoils.ids)}"`, 'W/""', ','.repeat(500), 'Sat, 21 Nov 2026 00:00:00 GMT'])}`,
  ])
}

const parts: Make = (random, spoils) => {
  const size = pick(random, [0, 1, 28, 29, 500, 1_048_604, 1_048_605])
  const said = random() < 0.7 ? size : pick(random, [0, 1, 28, 29, 2 ** 40, 1_048_604])
  return message(
    `PUT /v1/objects/${pick(random, [...spoils.ids, randomUUID(), 'x', '..', ''])}/parts/${pick(random, ['0', '0', '1', '2', '-1', '00', '1e1', '99999', '99999999999999999999', 'x', '%30', ''])} HTTP/1.1`,
    [
      `host: ${spoils.hosts.api}`,
      pick(random, [`content-length: ${said}`, `content-length: ${said}`, `content-length: ${said}`, 'transfer-encoding: chunked', 'x: y']),
      `content-type: ${pick(random, ['application/octet-stream', 'application/json', 'text/html'])}`,
      ...authorization(random, spoils),
    ],
    random() < 0.1 ? junk(random, Math.min(size, 500)) : Buffer.alloc(Math.min(size, random() < 0.05 ? size : 2000), 'part'),
  )
}

const wholeFiles: Make = (random, spoils) => {
  const size = pick(random, [0, 1, 64, 500, 65_536, 65_537, 2_000_000])
  const said = random() < 0.8 ? size : pick(random, [0, 1, 2 ** 40, 9_000_000])
  const { name, meta, epoch, base } = files.fileHeaders
  const ofApp = `of/${pick(random, [encodeURIComponent('web:http://app.localhost:8000'), encodeURIComponent('web:http://app.localhost:8000'), '%E0%A4%A', '%00', 'x', 'x'.repeat(400)])}`
  const odd = (...values: readonly string[]): string => pick(random, [...values, '', 'x'.repeat(5000), '\u00e9', '1e9', '99999999999999999999', '-1', 'null'])
  return message(
    `${pick(random, ['PUT', 'PUT', 'PUT', 'GET', 'GET', 'POST', 'HEAD', 'DELETE'])} /v1/files/${pick(random, ['content', 'content', 'content', 'uploads', `uploads/${pick(random, spoils.ids)}/0`, ofApp, ofApp, `${ofApp}/uploads/${pick(random, spoils.ids)}/0`, 'x', '..'])} HTTP/1.1`,
    [
      `host: ${spoils.hosts.api}`,
      pick(random, [`content-length: ${said}`, `content-length: ${said}`, `content-length: ${said}`, 'transfer-encoding: chunked', 'x: y']),
      `${name}: ${pick(random, [...spoils.names, ...spoils.names, ...spoils.names, odd('content', '..', 'A'.repeat(44))])}`,
      `${meta}: ${odd('c2VhbGVk', 'c2VhbGVk', 'c2VhbGVk')}`,
      `${epoch}: ${odd('1', '1', '1', '2')}`,
      `${base}: ${odd('any', 'none', '1', 'any')}`,
      `range: bytes=${odd('0-', '0-5', '-5', '5-0')}`,
      `${pick(random, ['if-range', 'if-none-match', 'if-match', 'x'])}: ${odd('*', '"1"', 'W/"1"')}`,
      ...authorization(random, spoils),
    ],
    Buffer.alloc(Math.min(size, random() < 0.1 ? size : 2000), 'file'),
  )
}

const kinds: readonly (readonly [weight: number, kind: string, make: Make])[] = [
  [30, 'nearly right', nearlyRight],
  [12, 'bad json', badJson],
  [10, 'bad type', badType],
  [18, 'framing', framing],
  [12, 'path', paths],
  [10, 'range', ranges],
  [8, 'part', parts],
  [12, 'file', wholeFiles],
]
const total = kinds.reduce((sum, [weight]) => sum + weight, 0)

/** Makes one malformed, misdirected or unauthorised request. */
export function hostileRequest(random: Random, spoils: Spoils): HostileRequest {
  let at = random() * total
  for (const [weight, kind, make] of kinds) {
    at -= weight
    if (at < 0) return { kind, bytes: Buffer.from(make(random, spoils)) }
  }
  return { kind: 'junk', bytes: junk(random, 10) }
}
