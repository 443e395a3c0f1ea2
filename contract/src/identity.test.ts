import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appKind, devAppId, isRoomName, originOf, packageAppId, parseInvite, parseRoomId, roomId, roomInvite, roomScope, webAppId } from './identity.ts'

test('an app id says what kind of app it is', () => {
  assert.equal(appKind(webAppId('https://example.org')), 'web')
  assert.equal(appKind(packageAppId('@scope/name')), 'registry')
  assert.equal(appKind(devAppId('http://localhost:5173/')), 'dev')
  for (const id of ['', 'web', 'web:', 'webx', 'other:x', 'constructor:x']) assert.equal(appKind(id), null, id)
  assert.equal(originOf('web:https://example.org'), 'https://example.org')
  assert.equal(originOf('registry:x'), null)
})

test("the scope of a site's rooms is its host, with the port where it is not the default", () => {
  assert.equal(roomScope('web:https://example.org'), 'example.org')
  assert.equal(roomScope('web:https://example.org:8443'), 'example.org:8443')
  assert.equal(roomScope('web:http://app.localhost:4400'), 'app.localhost:4400')
  assert.equal(roomScope('registry:@a/b'), 'registry:@a/b')
})

test('no site has the scope that all apps share', () => {
  assert.equal(roomScope('web:https://global'), 'global:443')
  assert.equal(roomScope('web:http://global'), 'global:80')
  assert.equal(roomScope('web:http://global:81'), 'global:81')
})

test('room ids and invites are read as they are written', () => {
  assert.deepEqual(parseRoomId(roomId('example.org', 'lobby')), { scope: 'example.org', name: 'lobby' })
  assert.deepEqual(parseRoomId(roomId('registry:@a/b', 'lobby')), { scope: 'registry:@a/b', name: 'lobby' })
  assert.deepEqual(parseInvite(roomInvite('K'.repeat(43), 'example.org/my.room')), { key: 'K'.repeat(43), id: 'example.org/my.room' })
  for (const id of ['', 'lobby', '/lobby', 'example.org/', 'example.org/Lobby!', 'a/b c']) assert.equal(parseRoomId(id), null, id)
  for (const invite of ['', 'key', '.a/b', 'key.', 'key.lobby']) assert.equal(parseInvite(invite), null, invite)
})

test('a room is called by 1 to 64 plain characters or by a random name', () => {
  for (const name of ['a', 'a-b_c.9', 'x'.repeat(64), 'AbCdEfGhIjKlMnOpQrSt-_']) assert.equal(isRoomName(name), true, name)
  for (const name of ['', 'x'.repeat(65), 'A', 'ä', 'a b', 'a/b', 'AbCdEfGhIjKlMnOpQrSt-_x']) assert.equal(isRoomName(name), false, name)
})
