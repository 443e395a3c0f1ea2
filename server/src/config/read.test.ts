import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigError, readConfig, readProcessConfig } from './read.ts'
import { configTable } from './table.ts'

const faultsOf = (sources: Parameters<typeof readConfig>[0]): readonly string[] => {
  try {
    readConfig(sources)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

test('nothing said gives the defaults', () => {
  const config = readConfig()
  assert.deepEqual([config.server.port, config.sessions.renew, config.objects.bytes, config.origins.api], [4400, 900_000, 5 * 2 ** 30, ''])
  assert.deepEqual(
    configTable(config).filter(line => line.changed),
    [],
  )
})

test('the environment wins over the file', () => {
  const config = readConfig({
    file: { server: { port: 5000, hosts: ['::1'] }, objects: { part: '1MiB' } },
    env: { DEPUTY_SERVER_PORT: '6000', DEPUTY_SIGN_IN: undefined },
  })
  assert.deepEqual([config.server.port, config.server.hosts, config.objects.part], [6000, ['::1'], 2 ** 20])
})

test('all faults are told at once: wrong values, unknown keys, groups and variables', () => {
  const faults = faultsOf({
    file: { server: { port: 'x', unknown: 1 }, nothing: {}, sessions: 3 },
    env: { DEPUTY_SESSIONS_RENEW: '15', DEPUTY_OBJECTS_PART: '8MB', DEPUTY_TYPO: '1', DEPUTY_ORIGINS_API: 'https://api.example/path', PATH: '/bin' },
  })
  for (const place of [
    'server.port',
    'server.unknown',
    'nothing',
    'sessions:',
    'DEPUTY_SESSIONS_RENEW',
    'DEPUTY_OBJECTS_PART',
    'DEPUTY_TYPO',
    'DEPUTY_ORIGINS_API',
  ])
    assert.ok(
      faults.some(fault => fault.startsWith(place)),
      `${place} in ${faults.join('; ')}`,
    )
  assert.equal(faults.length, 8)
})

test('a secret may come from a file, and from one place only', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'deputy-config-'))
  try {
    const file = join(folder, 'secret')
    await writeFile(file, `${'s'.repeat(40)}\n`)
    assert.equal(readConfig({ env: { DEPUTY_SERVER_SECRET_FILE: file } }).server.secret, 's'.repeat(40))
    assert.equal(faultsOf({ env: { DEPUTY_SERVER_SECRET_FILE: file, DEPUTY_SERVER_SECRET: 's'.repeat(40) } }).length, 1)
    assert.equal(faultsOf({ env: { DEPUTY_SERVER_SECRET_FILE: join(folder, 'missing') } }).length, 1)
    assert.equal(faultsOf({ env: { DEPUTY_SERVER_PORT_FILE: file } }).length, 1)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('no secret is printed', () => {
  const provider = { id: 'one', title: 'One', issuer: 'https://one.example', clientId: 'id', clientSecret: 'hunter2hunter2' }
  const config = readConfig({
    file: { accounts: { providers: [provider] } },
    env: { DEPUTY_SERVER_SECRET: 'hunter2'.repeat(6), DEPUTY_MAIL_SERVER: 'smtp://a:hunter2@mail' },
  })
  assert.ok(!JSON.stringify(configTable(config)).includes('hunter2'))
})

test('faults never repeat a secret', () => {
  assert.ok(
    !faultsOf({ env: { DEPUTY_SERVER_SECRET: 'hunter2' } })
      .join()
      .includes('hunter2'),
  )
})

test('production must be told its origins, its pages and its mail server', () => {
  const faults = faultsOf({ file: { server: { mode: 'production' }, origins: { api: 'http://api.example' } } })
  for (const place of ['origins.broker', 'origins.api', 'origins.cdn', 'sites.broker', 'mail.server'])
    assert.ok(
      faults.some(fault => fault.startsWith(place)),
      place,
    )
})

test('nodes of the tunnel have ids of their own, origins without a path, hashes, and beat more often than they may be silent', () => {
  const north = { id: 'north', origin: 'https://north.example', hash: 'h'.repeat(43) }
  const faults = (tunnel: object): number => faultsOf({ file: { tunnel } }).length
  for (const nodes of [
    [north, north],
    [{ ...north, id: 'local' }],
    [{ ...north, id: 'No rth' }],
    [{ ...north, origin: 'https://north.example/' }],
    [{ ...north, origin: 'https://north.example; script-src *' }],
    [{ ...north, origin: 'https://NORTH.example' }],
    [{ ...north, hash: 'short' }],
  ])
    assert.equal(faults({ nodes }), 1, JSON.stringify(nodes))
  assert.equal(faults({ beat: '5s', silence: '9s' }), 1)
  assert.deepEqual(readConfig({ file: { tunnel: { nodes: [north] } } }).tunnel.nodes, [north])
  assert.equal(readConfig({ env: { DEPUTY_TUNNEL_NODES: JSON.stringify([north]) } }).tunnel.nodes.length, 1)
})

test('two origins must not be one', () => {
  assert.equal(faultsOf({ file: { origins: { api: 'https://a.example', cdn: 'https://a.example' } } }).length, 1)
})

test('a process reads the file it is pointed at, over its defaults', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'deputy-config-'))
  try {
    const file = join(folder, 'deputy.json')
    await writeFile(file, JSON.stringify({ server: { port: 5000 } }))
    const config = readProcessConfig({ DEPUTY_CONFIG: file }, { server: { port: 1, folder: 'elsewhere' }, sites: { broker: 'pages' } })
    assert.deepEqual([config.server.port, config.server.folder, config.sites.broker], [5000, 'elsewhere', 'pages'])
    await writeFile(file, 'no json')
    assert.throws(() => readProcessConfig({ DEPUTY_CONFIG: file }), ConfigError)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
