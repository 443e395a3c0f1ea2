import assert from 'node:assert/strict'
import { test } from 'node:test'
import { follow, type Run, type Sample } from './placement.ts'

/** Pointer events of a frame at (left, top) on the screen, seen under a zoom. */
const sampler =
  (zoom: number) =>
  (at: number, x: number, y: number, left = 30, top = 90): Sample => ({ at, x, y, screenX: left + x * zoom, screenY: top + y * zoom })
const runOf = (samples: readonly Sample[]): Run | undefined => samples.reduce<Run | undefined>((run, sample) => follow(run, sample), undefined)

for (const zoom of [1, 1.25, 1.5, 0.67, 3]) {
  const sample = sampler(zoom)
  test(`a frame that stays is one run, at a zoom of ${zoom}`, () => {
    assert.equal(runOf([sample(1, 10, 10), sample(2, 200, 90), sample(3, 333, 300), sample(900, 40, 500)])?.since, 1)
  })
  test(`a frame that moved begins a new run, at a zoom of ${zoom}`, () => {
    assert.equal(runOf([sample(1, 10, 10), sample(2, 200, 90), sample(3, 300, 200), sample(700, 290, 210, 30 + 150)])?.since, 700)
  })
}

test('the screen may round to whole pixels', () => {
  const sample = sampler(1.25)
  const rounded = [sample(1, 10, 11), sample(2, 21, 34), sample(3, 333, 307)].map(one => ({
    ...one,
    screenX: Math.round(one.screenX),
    screenY: Math.round(one.screenY),
  }))
  assert.equal(runOf(rounded)?.since, 1)
})
