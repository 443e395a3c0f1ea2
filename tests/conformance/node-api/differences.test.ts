import assert from 'node:assert/strict'
import * as dgram from 'node:dgram'
import * as dns from 'node:dns'
import { readFileSync } from 'node:fs'
import * as http from 'node:http'
import * as net from 'node:net'
import { after, before, test } from 'node:test'
import { nodeAliases } from '@deputy/client/aliases'
import { overTunnel, type OverTunnel } from '../../support/node-modules.ts'
import { differences, differencesSuite } from './differences-suite.ts'

let tunnel: OverTunnel
before(async () => {
  tunnel = await overTunnel()
})
after(() => tunnel.close())

differencesSuite(() => tunnel.modules, 'over the tunnel')

const guide = readFileSync(new URL('../../../docs/guide/node-modules.md', import.meta.url), 'utf8')
const [, list = ''] = guide.split('\n## Differences from Node\n')
const bullets = (module: string): string[] => {
  const [, section = ''] = list.split(`\n### ${module === 'all' ? 'All' : `\`${module}\``}\n`)
  return (section.split('\n### ')[0] ?? '').split('\n').flatMap(line => (line.startsWith('- ') ? [line.slice(2)] : []))
}
const isOfAbsence = (bullet: string): boolean => bullet.startsWith('Not there: ')

test('the guide lists the differences that are shown, and no others', () => {
  for (const module of ['all', 'net', 'dgram', 'dns', 'http']) {
    const shown = differences.flatMap(({ of, says }) => (of === module ? [says] : []))
    assert.deepEqual(
      bullets(module).filter(bullet => !isOfAbsence(bullet)),
      shown,
      module,
    )
  }
})

/** Names of functions and classes of a module of Node's that ours does not have, with those of the classes' objects. */
function absent(theirs: object, ours: object): string[] {
  return Object.entries(theirs).flatMap(([name, value]) => {
    if (name.startsWith('_') || name === 'default') return []
    const own: unknown = (ours as Record<string, unknown>)[name]
    if (own === undefined) return [name]
    if (typeof value !== 'function' || typeof own !== 'function') return []
    const { prototype } = own as { prototype?: object }
    const members = Object.entries(Object.getOwnPropertyDescriptors((value as { prototype?: object }).prototype ?? {}))
    return members.flatMap(([member, { value: of }]) =>
      member.startsWith('_') || typeof of !== 'function' || prototype === undefined || member in prototype ? [] : [`${name}.${member}`],
    )
  })
}

test('the guide names all that Node’s modules have and these do not', () => {
  for (const [module, theirs] of Object.entries({ net, dgram, dns, http })) {
    const named = bullets(module)
      .filter(isOfAbsence)
      .flatMap(bullet => [...bullet.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''))
    // One class under two names is told under the first.
    const found = new Set(absent(theirs, tunnel.modules[module as 'net']).filter(name => !name.startsWith('Stream.')))
    assert.deepEqual(found, new Set(named), module)
  }
})

test('the guide has the table of the aliases', () => {
  const rows = [...guide.matchAll(/^\| `([^`]+)` +\| `([^`]+)` +\|$/gm)].map(([, name, stand]) => [name, stand])
  const plain = Object.entries(nodeAliases).filter(([name, stand]) => !name.startsWith('node:') || name === `node:${stand}`)
  assert.deepEqual(Object.fromEntries(rows), Object.fromEntries(plain))
})
