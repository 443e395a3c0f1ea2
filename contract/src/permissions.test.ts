import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consentCategories } from './consent.ts'
import { permissionDescriptors, permissionRegistry, permissions, type PermissionDescriptor } from './permissions.ts'

test('LIB-10: the seven fixed scopes with category, severity, mark and title', () => {
  assert.deepEqual(
    permissionDescriptors
      .slice(0, 7)
      .map(({ scope, category, severity, unsafe, title }: PermissionDescriptor) => [scope, category, severity, unsafe ?? false, title]),
    [
      ['embed.iframe', 'embed', 0, false, 'Load another website inside this app'],
      ['embed.open', 'embed', 0, false, 'Open a website inside this app'],
      ['network.fetch', 'network', 0, false, 'Fetch data from other sites'],
      ['network.fetchCredentialed', 'network', 3, true, 'Fetch from other sites, signed in as you'],
      ['network.fetchLocal', 'network', 3, true, 'Access devices on your local network'],
      ['network.modifyRequestHeaders', 'network', 2, true, 'Rewrite request headers to other sites'],
      ['network.readCookie', 'network', 3, true, "Read a site's cookie"],
    ],
  )
})

test('LIB-10: a registry is extended by rows and never changed by them', () => {
  const more: PermissionDescriptor = {
    scope: 'camera.use',
    category: 'embed',
    severity: 4,
    title: 'Use the camera',
    description: 'The app sees you.',
    unsafe: true,
  }
  const extended = permissions.with([more])
  assert.equal(extended.get('camera.use'), more)
  assert.equal(extended.isCritical('camera.use'), true)
  assert.equal(extended.get('embed.open'), permissions.get('embed.open'))
  assert.equal(permissions.get('camera.use'), undefined)
  assert.throws(() => extended.with([more]), /stands twice/)
  assert.throws(() => permissions.with([{ ...more, scope: 'network.fetch', severity: 0 }]), /stands twice/)
})

test('critical keys are those at severity 4; a scope nobody registered is none', () => {
  assert.deepEqual(
    permissionDescriptors.filter(({ scope }) => permissions.isCritical(scope)).map(({ scope }) => scope),
    ['frame.evaluate', 'frame.cookies'],
  )
  for (const scope of ['', '__proto__', 'constructor', 'frame.fetchRead']) assert.equal(permissions.isCritical(scope), false, scope)
})

test('a category holds its scopes without the critical ones', () => {
  assert.deepEqual(
    permissions.inCategory('interaction').map(({ scope }) => scope),
    ['frame.read', 'frame.click', 'frame.fill', 'frame.hover', 'frame.press'],
  )
  assert.deepEqual(
    permissions.inCategory('storage').map(({ scope }) => scope),
    ['frame.storage'],
  )
  assert.deepEqual(permissions.inCategory('constructor'), [])
  for (const category of consentCategories)
    assert.ok(
      permissionDescriptors.some(row => row.category === category),
      category,
    )
})

test('an empty registry knows nothing', () => assert.equal(permissionRegistry([]).get('network.fetch'), undefined))
