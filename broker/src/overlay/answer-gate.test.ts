import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { opened, ready, routeOf, step, timing, type Control, type GateState, type Signal, type Verdict } from './answer-gate.ts'

const yes: Control = { id: 'yes', effect: 'grant' }
const other: Control = { id: 'other', effect: 'grant' }
const no: Control = { id: 'no', effect: 'refuse' }
const press = (at: number, control = yes, rest: Partial<Signal & { kind: 'press' }> = {}): Signal => ({
  kind: 'press',
  at,
  control,
  by: 'pointer:1',
  trusted: true,
  repeat: false,
  approached: true,
  ...rest,
})
const release = (at: number, control = yes, rest: Partial<Signal & { kind: 'release' }> = {}): Signal => ({
  kind: 'release',
  at,
  control,
  by: 'pointer:1',
  trusted: true,
  ...rest,
})
const shown = (at: number): Signal => ({ kind: 'sight', at, shown: true })
const hidden = (at: number): Signal => ({ kind: 'sight', at, shown: false })
const time = (at: number): Signal => ({ kind: 'time', at })

function run(signals: readonly Signal[], state: GateState = opened('full', 0)): { state: GateState; verdicts: string[] } {
  const verdicts: string[] = []
  let now = state
  for (const signal of signals) {
    const [next, verdict] = step(now, signal)
    now = next
    if (verdict.kind !== 'none') verdicts.push(nameOf(verdict))
  }
  return { state: now, verdicts }
}
const nameOf = (verdict: Verdict): string =>
  verdict.kind === 'ignored' ? verdict.why : verdict.kind === 'answer' || verdict.kind === 'confirm' ? `${verdict.kind} ${verdict.control.id}` : verdict.kind

test('a yes counts: seen for the settle, pressed and released on one control, still seen after the hold', () => {
  assert.deepEqual(run([shown(100), press(700), release(750), time(750 + timing.hold)]).verdicts, ['hold', 'answer yes'])
})

test('the hold is waited for', () => {
  assert.deepEqual(run([shown(100), press(700), release(750), time(750 + timing.hold - 1)]).verdicts, ['hold'])
})

test('a cover that shows up during the hold takes the yes back', () => {
  assert.deepEqual(run([shown(100), press(700), release(750), hidden(800), time(2000), shown(2100), time(3000)]).verdicts, ['hold'])
})

test('input of scripts is no input', () => {
  assert.deepEqual(run([shown(100), press(700, yes, { trusted: false }), release(750)]).verdicts, ['untrusted'])
  assert.deepEqual(run([shown(100), press(700), release(750, yes, { trusted: false }), time(5000)]).verdicts, ['untrusted'])
})

test('a key that repeats by itself is no press, and forgets the press before it', () => {
  assert.deepEqual(run([shown(100), press(700), press(720, yes, { repeat: true }), release(750), time(5000)]).verdicts, ['repeat'])
})

test('a press within the settle of the card, of a move or of a reveal does not count', () => {
  assert.deepEqual(run([shown(100), press(100 + timing.settle - 1), release(700), time(5000)]).verdicts, ['too-soon'])
  assert.deepEqual(run([shown(100), { kind: 'changed', at: 900 }, press(1000), release(1050), time(5000)]).verdicts, ['too-soon'])
  assert.deepEqual(run([shown(100), hidden(900), shown(1000), press(1200), release(1250), time(5000)]).verdicts, ['too-soon'])
})

test('a card that moves between press and release takes no answer', () => {
  assert.deepEqual(run([shown(100), press(700), { kind: 'changed', at: 720 }, release(750), time(5000)]).verdicts, [])
})

test('press and release belong to one control and one pointer', () => {
  assert.deepEqual(run([shown(100), press(700), release(750, other), time(5000)]).verdicts, ['elsewhere'])
  assert.deepEqual(run([shown(100), press(700), release(750, yes, { by: 'Enter' }), time(5000)]).verdicts, ['elsewhere'])
  assert.deepEqual(run([shown(100), release(750), time(5000)]).verdicts, [])
})

test('OVL-3: a card that is not seen takes no yes, but it takes a no', () => {
  assert.deepEqual(run([press(700), release(750), time(5000)]).verdicts, ['unseen'])
  assert.deepEqual(run([press(700, no), release(750, no)]).verdicts, ['answer no'])
})

test('a no counts as soon as the card has been there for the settle, whatever changed since', () => {
  assert.deepEqual(run([press(timing.settle - 1, no), release(timing.settle, no)]).verdicts, ['too-soon'])
  assert.deepEqual(run([shown(100), { kind: 'changed', at: 690 }, press(700, no), release(710, no)]).verdicts, ['answer no'])
})

test('a mouse that did not come from elsewhere on the card gives no yes', () => {
  assert.deepEqual(run([shown(100), press(700, yes, { approached: false }), release(750), time(5000)]).verdicts, ['sudden'])
})

test('OVL-3: where the browser knows liveness alone, a yes is asked twice, each time with all the rules', () => {
  const first = run([shown(100), press(700), release(750), time(950)], opened('liveness', 0))
  assert.deepEqual(first.verdicts, ['hold', 'confirm yes'])
  assert.deepEqual(run([press(1000), release(1050), time(5000)], first.state).verdicts, ['too-soon'])
  assert.deepEqual(run([press(1500, other), release(1550, other), time(1750)], first.state).verdicts, ['hold', 'confirm other'])
  assert.deepEqual(run([press(1500), release(1550), time(1750)], first.state).verdicts, ['hold', 'answer yes'])
})

test('strong permissions without full sight are answered in a window', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4].map(severity => [routeOf(severity, 'full'), routeOf(severity, 'liveness')].join(' ')),
    ['card confirm', 'card confirm', 'card confirm', 'card window', 'card window'],
  )
})

test('no order of signals makes a yes of an unseen, unsettled or untrusted press', () => {
  const control = fc.constantFrom(yes, other, no)
  const by = fc.constantFrom('pointer:1', 'Enter')
  const gap = fc.integer({ min: 0, max: 900 })
  const event = fc.oneof(
    fc.record({ kind: fc.constant('sight' as const), shown: fc.boolean(), gap }),
    fc.record({ kind: fc.constantFrom('changed' as const, 'cancel' as const, 'time' as const), gap }),
    fc.record({ kind: fc.constant('press' as const), control, by, trusted: fc.boolean(), repeat: fc.boolean(), approached: fc.boolean(), gap }),
    fc.record({ kind: fc.constant('release' as const), control, by, trusted: fc.boolean(), gap }),
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), events => {
      let state = opened('full', 0)
      let at = 0
      let seenSince = Infinity
      let lastPress: { at: number; fine: boolean; id: string } | undefined
      let releasedAt = Infinity
      for (const { gap: waited, ...rest } of events) {
        at += waited
        const signal = { ...rest, at } as Signal
        const fineNow = ready(state, at)
        const [next, verdict] = step(state, signal)
        state = next
        if (signal.kind === 'sight') seenSince = signal.shown ? Math.min(seenSince, at) : Infinity
        if (signal.kind === 'changed') seenSince = seenSince === Infinity ? Infinity : at
        if (signal.kind === 'press') lastPress = { at, fine: fineNow && signal.trusted && !signal.repeat && signal.approached, id: signal.control.id }
        if (signal.kind === 'release') releasedAt = at
        if (verdict.kind === 'answer' && verdict.control.effect === 'grant') {
          assert.ok(lastPress?.fine && lastPress.id === verdict.control.id)
          assert.ok(lastPress.at - seenSince >= timing.settle, 'seen long enough before the press')
          assert.ok(at - releasedAt >= timing.hold, 'still seen after the release')
        }
      }
    }),
    { numRuns: 2000 },
  )
})
