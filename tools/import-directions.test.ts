import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importsOf, violations } from './import-directions.ts'

/** The messages for one planted module among the modules it could name. */
function planted(path: string, specifier: string): string[] {
  const others = [
    'broker/src/account/service.ts',
    'broker/src/storage/service.ts',
    'broker/src/ui/card.tsx',
    'server/src/objects/put.ts',
    'tests/support/chromium.ts',
  ]
  return violations(new Map<string, readonly string[]>([...others.map(other => [other, []] as [string, string[]]), [path, [specifier]]]))
}

const wrong: readonly (readonly [path: string, specifier: string, message: RegExp])[] = [
  ['server/src/main.ts', '@deputy/seal', /server may not import seal/],
  ['client/src/a.ts', '@deputy/broker', /client may not import broker/],
  ['broker/src/a.ts', '@deputy/client/storage', /broker may not import client/],
  ['contract/src/a.ts', '@deputy/channel', /contract may not import channel/],
  ['examples/plain/page.ts', '@deputy/contract/shape', /examples may not import contract/],
  ['client/src/a.ts', '../../broker/src/ui/card.tsx', /reaches into broker by path/],
  ['client/src/a.ts', '../../tests/support/chromium.ts', /reaches into tests by path/],
  ['broker/src/account/a.ts', '../storage/service.ts', /namespace account imports its sibling storage/],
  ['seal/src/a.ts', 'node:crypto', /runs in browsers/],
  ['client/src/a.ts', '@deputy/client/storage', /its own package by name/],
  ['client/src/a.ts', './absent.ts', /not there/],
  ['desktop/src/a.ts', './absent.ts', /not in the table/],
]

for (const [path, specifier, message] of wrong) {
  test(`${path} importing ${specifier} is found`, () => {
    const found = planted(path, specifier)
    assert.equal(found.length, 1)
    assert.match(found[0] ?? '', message)
  })
}

const right: readonly (readonly [path: string, specifier: string])[] = [
  ['server/src/main.ts', '@deputy/contract/api'],
  ['server/src/main.ts', 'node:http'],
  ['broker/src/context.ts', './storage/service.ts'],
  ['broker/src/account/a.tsx', '../ui/card.tsx'],
  ['client/src/a.test.ts', '../../tests/support/chromium.ts'],
  ['tests/e2e/walk.test.ts', '@deputy/server'],
  ['examples/plain/page.ts', '@deputy/client/storage'],
]

for (const [path, specifier] of right) {
  test(`${path} importing ${specifier} is allowed`, () => assert.deepEqual(planted(path, specifier), []))
}

test('imports, type imports, re-exports and dynamic imports are all seen', () => {
  const source = `import { a } from './a.ts'\nimport type { B } from './b.ts'\nexport * from './c.ts'\nexport { d } from './d.ts'\nimport './e.css'\nconst f = await import('./f.ts')`
  assert.deepEqual(importsOf('x.ts', source).toSorted(), ['./a.ts', './b.ts', './c.ts', './d.ts', './e.css', './f.ts'])
})
