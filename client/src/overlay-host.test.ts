import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clipPath } from './overlay-host.ts'

test('nothing shown clips the frame away without hiding it', () => {
  assert.equal(clipPath([]), 'inset(0 100% 100% 0)')
  assert.equal(clipPath([{ x: 1, y: 2, width: 0, height: 9 }]), 'inset(0 100% 100% 0)')
})

test('OVL-2: the clip is the union of the rects, corners rounded', () => {
  const clip = clipPath([
    { x: 10, y: 20, width: 100, height: 50 },
    { x: 0, y: 200, width: 40, height: 40, radius: [4, 0, 0, 0] },
  ])
  assert.equal(
    clip,
    'path("M10 20H110a0 0 0 0 1 0 0V70a0 0 0 0 1 0 0H10a0 0 0 0 1 0 0V20a0 0 0 0 1 0 0Z' +
      'M4 200H40a0 0 0 0 1 0 0V240a0 0 0 0 1 0 0H0a0 0 0 0 1 0 0V204a4 4 0 0 1 4 -4Z")',
  )
})

test('a radius larger than the rect is cut to half its shorter side', () => {
  assert.match(clipPath([{ x: 0, y: 0, width: 20, height: 10, radius: [99, 99, 99, 99] }]), /a5 5 0 0 1 5 5/)
})
