import type { DisplayLevel } from '@deputy/contract/overlay'

/**
 * When an answer of the person counts. A pure state machine: every signal carries its own time, so the rules can be read and
 * tested without a page.
 *
 * 1. Only trusted input counts, and a key that repeats by itself does not.
 * 2. Press and release are on the same control, by the same pointer or key.
 * 3. The card came at least the `settle` before the press. For a grant nothing else about it changed since either, nor between press and
 *    release: not its sight, place, size or focus.
 * 4. A grant needs the card in full sight, from before the press until `hold` after the release: the browser reports a cover with delay.
 * 5. A mouse that grants came from elsewhere on the card's surface, which has not moved under it since.
 * 6. Where the browser can only tell that the card paints (`liveness`), a grant is asked twice, and from severity 3 on in a window.
 */
export const timing = { settle: 500, hold: 200 } as const

/** What a control does when it is answered. Only `grant` needs the card in sight; `refuse` gives nothing away. */
export type ControlEffect = 'grant' | 'refuse'

/** One thing on the card that takes an answer. */
export interface Control {
  readonly id: string
  readonly effect: ControlEffect
}

/** A press or release as the browser reports it. */
export interface Touch {
  readonly at: number
  readonly control: Control
  /** The key, or `pointer:<id>`: what must press and release. */
  readonly by: string
  readonly trusted: boolean
}

/** What happened. */
export type Signal =
  | { readonly kind: 'sight'; readonly at: number; readonly shown: boolean }
  /** The card appeared, moved, changed its size or got the focus back. */
  | { readonly kind: 'changed'; readonly at: number }
  | ({ readonly kind: 'press'; readonly repeat: boolean; readonly approached: boolean } & Touch)
  | ({ readonly kind: 'release' } & Touch)
  | { readonly kind: 'cancel'; readonly at: number }
  | { readonly kind: 'time'; readonly at: number }

/** Why a press or a release does not count. */
export type Ignored = 'untrusted' | 'repeat' | 'too-soon' | 'unseen' | 'elsewhere' | 'sudden'

/** What follows from a signal. */
export type Verdict =
  | { readonly kind: 'none' }
  | { readonly kind: 'ignored'; readonly why: Ignored }
  /** Ask for a `time` signal at this moment. */
  | { readonly kind: 'hold'; readonly until: number }
  /** The first half of a two-step grant is done: ask to confirm. */
  | { readonly kind: 'confirm'; readonly control: Control }
  | { readonly kind: 'answer'; readonly control: Control }

/** Where the machine stands. */
export interface GateState {
  readonly level: DisplayLevel
  /** When the card appeared: a no within the settle of that was meant for something else, later ones always count. */
  readonly openedAt: number
  readonly shown: boolean
  /** When sight, place, size or focus last changed. */
  readonly changedAt: number
  readonly pressed?: Touch
  readonly held?: { readonly control: Control; readonly until: number }
  /** The control that was granted once and is to be confirmed. */
  readonly confirming?: string
}

/** How a card of this severity may be answered in the frame. */
export const routeOf = (severity: number, level: DisplayLevel): 'card' | 'confirm' | 'window' =>
  level === 'full' ? 'card' : severity >= 3 ? 'window' : 'confirm'

/** The state when the card appears. */
export const opened = (level: DisplayLevel, at: number): GateState => ({ level, openedAt: at, shown: false, changedAt: at })

/** Whether a grant pressed now would be taken up. */
export const ready = (state: GateState, at: number): boolean => state.shown && at - state.changedAt >= timing.settle

const none: Verdict = { kind: 'none' }
const ignored = (why: Ignored): Verdict => ({ kind: 'ignored', why })
const without = ({ pressed: _pressed, held: _held, ...rest }: GateState): GateState => rest

/** The next state and what follows. */
export function step(state: GateState, signal: Signal): readonly [GateState, Verdict] {
  switch (signal.kind) {
    case 'sight':
      return signal.shown === state.shown ? [state, none] : [{ ...without(state), shown: signal.shown, changedAt: signal.at }, none]
    case 'changed':
      return [{ ...without(state), changedAt: signal.at }, none]
    case 'cancel':
      return [without(state), none]
    case 'press':
      return press(without(state), signal)
    case 'release':
      return release(state, signal)
    case 'time':
      return settleHeld(state, signal.at)
  }
}

function press(state: GateState, signal: Signal & { kind: 'press' }): readonly [GateState, Verdict] {
  const { repeat, approached, at, control, by, trusted } = signal
  if (!trusted) return [state, ignored('untrusted')]
  if (repeat) return [state, ignored('repeat')]
  if (at - (control.effect === 'grant' ? state.changedAt : state.openedAt) < timing.settle) return [state, ignored('too-soon')]
  if (control.effect === 'grant' && !state.shown) return [state, ignored('unseen')]
  if (control.effect === 'grant' && !approached) return [state, ignored('sudden')]
  return [{ ...state, pressed: { at, control, by, trusted } }, none]
}

function release(state: GateState, { at, control, by, trusted }: Signal & { kind: 'release' }): readonly [GateState, Verdict] {
  const { pressed } = state
  const rest = without(state)
  if (pressed === undefined) return [rest, none]
  if (!trusted) return [rest, ignored('untrusted')]
  if (pressed.control.id !== control.id || pressed.by !== by) return [rest, ignored('elsewhere')]
  if (control.effect === 'refuse') return [rest, { kind: 'answer', control }]
  const until = at + timing.hold
  return [
    { ...rest, held: { control, until } },
    { kind: 'hold', until },
  ]
}

function settleHeld(state: GateState, at: number): readonly [GateState, Verdict] {
  const { held } = state
  if (held === undefined || at < held.until) return [state, none]
  const rest = without(state)
  if (state.level === 'full' || state.confirming === held.control.id) return [rest, { kind: 'answer', control: held.control }]
  return [
    { ...rest, confirming: held.control.id, changedAt: at },
    { kind: 'confirm', control: held.control },
  ]
}
