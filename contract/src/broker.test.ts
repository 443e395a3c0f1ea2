import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aliases, broker, namespaces, withAliases } from './broker.ts'
import { operationsOf } from './operations.ts'
import { isCall } from './shape.ts'

const at = (tree: unknown, path: readonly string[]): unknown => path.reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], tree)

test('VER-1: each flat member is the very operation it duplicates', () => {
  const flat = broker as unknown as Record<string, unknown>
  for (const [name, path] of Object.entries(aliases)) {
    const call = at(namespaces, path)
    assert.equal(flat[name], call, name)
    assert.ok(isCall(call as Parameters<typeof isCall>[0]), name)
  }
  assert.deepEqual(Object.keys(aliases).toSorted(), [
    'dnsLookup',
    'hideInstallPrompt',
    'proxyFetch',
    'setOverlayHost',
    'showInstallPrompt',
    'webVpnTcpSocket',
    'webVpnTcpSocketListener',
    'webVpnUdpSocket',
  ])
  assert.equal(Object.keys(broker).length, Object.keys(namespaces).length + Object.keys(aliases).length)
})

test('VER-1: a served tree answers under the flat names with the same functions, and only for what it serves', () => {
  const show = () => {}
  const setHost = () => {}
  const served = withAliases({ installPrompt: { show, hide: undefined }, overlay: { setHost }, cloud: {} })
  assert.equal(served.showInstallPrompt, show)
  assert.equal(served.setOverlayHost, setHost)
  assert.equal(served.installPrompt.show, show)
  assert.deepEqual(Object.keys(served).toSorted(), ['cloud', 'installPrompt', 'overlay', 'setOverlayHost', 'showInstallPrompt'])
})

test('flat members are found among own members only', () => {
  const inherited = Object.create({ setHost: () => {} }) as object
  assert.deepEqual(Object.keys(withAliases({ overlay: inherited })), ['overlay'])
})

test('VER-2: the calls an older broker lacks are marked, and no others', () => {
  const marked = operationsOf(broker).filter(({ call }) => call.since !== undefined)
  assert.deepEqual(
    marked.map(({ path }) => path),
    ['cloud.fetchApart', 'cloud.fs.accountPin', 'cloud.fs.stat', 'cloud.fs.readRange', 'cloud.fs.writeFileIf', 'cloud.fs.removeIf', 'cloud.fs.changes'],
  )
})

test('calls that wait for a person have no deadline, and no others of the broker', () => {
  const waiting = operationsOf(namespaces).filter(({ call }) => call.deadline === Infinity)
  assert.deepEqual(waiting.map(({ path }) => path).toSorted(), [
    'account.login',
    'cloud.fs.promptAdopt',
    'cloud.fs.promptConflict',
    'cloud.fs.unlock',
    'connect.prompt',
    'frameConsent.ensure',
    'frameConsent.request',
    'packages.install',
    'packages.pick',
    'relay.prompt',
  ])
})
