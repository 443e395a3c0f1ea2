import assert from 'node:assert/strict'
import { test } from 'node:test'
import { middleControl } from './middle.ts'
import { operationsOf } from './operations.ts'
import { shellControl } from './render-shell.ts'
import { roomHandle } from './rooms.ts'
import { bodyOf, type Members } from './shape.ts'
import { capabilities, REVISION } from './versions.ts'
import { windowMiddleControl } from './window.ts'

const optional = (members: Members): string[] =>
  operationsOf(members)
    .filter(({ call }) => call.since !== undefined)
    .map(({ path }) => path)
    .toSorted()
const roomMembers = (): Members => {
  const body = bodyOf(roomHandle)
  assert.equal(body.kind, 'handle')
  return (body as { members: Members }).members
}

test('VER-2: the members an older middle page, shell or room lacks are marked, and no others', () => {
  assert.deepEqual(optional(middleControl), ['blank', 'clearCookies', 'documentHost', 'messaging', 'seed'])
  assert.deepEqual(optional(shellControl), ['blank', 'carry', 'clearCookies', 'flushCookies', 'seed', 'sweepStorage'])
  assert.deepEqual(optional(roomMembers()), ['setMailbox'])
})

test("a window's middle page has the middle page's members and four of its own", () => {
  const own = Object.keys(windowMiddleControl).filter(name => !(name in middleControl))
  assert.deepEqual(own.toSorted(), ['flushCookies', 'ping', 'requestConsent', 'sweepStorage'])
  for (const [name, call] of Object.entries(middleControl)) assert.equal((windowMiddleControl as Members)[name], call)
})

test('every mark is a revision there is, and every marked member an ability that is told', () => {
  for (const { path, call } of [...operationsOf(middleControl), ...operationsOf(shellControl), ...operationsOf(roomMembers())]) {
    if (call.since === undefined) continue
    assert.ok(call.since > 1 && call.since <= REVISION, path)
    assert.ok(path in capabilities || path === 'setMailbox', path)
  }
})
