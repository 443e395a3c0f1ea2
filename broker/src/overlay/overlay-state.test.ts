import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overlayState } from '@deputy/contract/overlay'
import { parse } from '@deputy/contract/validate'
import { judge } from './sight.ts'
import { overlayStateOf, type ShownSurface } from './state.ts'

const view = { width: 1000, height: 700 }
const surface = (over: Partial<ShownSurface>): ShownSurface => ({
  kind: 'notice',
  rect: { x: 10, y: 20, width: 300, height: 50 },
  modal: false,
  docked: false,
  sight: { level: 'full', shown: true },
  ...over,
})

test('OVL-1: nothing shown is no rectangle, no inset and no modality, and every state has the contract’s shape', () => {
  const state = overlayStateOf([], view)
  assert.deepEqual(state, { hidden: [], inset: { top: 0 }, modal: false, rects: [], view })
  assert.deepEqual(parse(overlayState, state), state)
})

test('OVL-1: a docked bar is told as the inset', () => {
  const bar = surface({ kind: 'bar', docked: true, rect: { x: 0, y: 0, width: 1000, height: 54 } })
  const state = overlayStateOf([bar, surface({})], view)
  assert.equal(state.inset.top, 54)
  assert.deepEqual(state.rects, [bar.rect, surface({}).rect])
  assert.deepEqual(parse(overlayState, state), state)
})

test('OVL-2: a modal card takes the whole view', () => {
  const state = overlayStateOf([surface({ kind: 'card', modal: true })], view)
  assert.deepEqual([state.modal, state.rects], [true, [{ x: 0, y: 0, ...view }]])
})

test('OVL-3: a surface out of sight is told with its cause and how surely it is known', () => {
  const looks = [
    [{ ratio: 0, area: 0, isVisible: false, painting: true }, 'not-rendered', 'full'],
    [{ ratio: 1, area: 9, isVisible: true, painting: false }, 'not-rendered', 'full'],
    [{ ratio: 0.9, area: 9, isVisible: true, painting: true }, 'clipped', 'full'],
    [{ ratio: 1, area: 9, isVisible: false, painting: true }, 'not-shown', 'full'],
    [{ ratio: 0.5, area: 9, painting: true }, 'clipped', 'liveness'],
    [{ ratio: 1, area: 9, painting: false }, 'not-rendered', 'liveness'],
  ] as const
  for (const [look, cause, level] of looks) {
    const state = overlayStateOf([surface({ kind: 'card', sight: judge(look) })], view)
    assert.deepEqual(state.hidden, [{ kind: 'card', cause, level }])
    assert.deepEqual(parse(overlayState, state), state)
  }
  assert.deepEqual(overlayStateOf([surface({ sight: judge({ ratio: 1, area: 9, isVisible: true, painting: true }) })], view).hidden, [])
})
