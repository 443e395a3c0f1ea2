import { opened, ready, step, timing, type Control, type GateState, type Ignored, type Signal } from './answer-gate.ts'
import { follow, type Run } from './placement.ts'
import { engineLevel, type Sight } from './sight.ts'

/** Who is told of what the person does on a card. */
export interface AnswerListener {
  answer(control: Control): void
  /** The control asks once more: see rule 6 of the gate. */
  confirm(control: Control): void
  ignored(why: Ignored): void
  /** Whether grants would be taken up now. */
  ready(ready: boolean): void
}

/** Feeds one card's signals to the gate. Controls are the elements marked `data-answer` (their id) and `data-effect`. */
export interface Answers {
  sight(sight: Sight): void
  changed(): void
  close(): void
}

const escape: Control = { id: 'escape', effect: 'refuse' }
const keys = new Set(['Enter', ' '])
const edge = 4

function controlAt(target: EventTarget | null): Control | undefined {
  const element = target instanceof Element ? target.closest<HTMLElement>('[data-answer]') : null
  const { answer, effect } = element?.dataset ?? {}
  return answer !== undefined && (effect === 'grant' || effect === 'refuse') ? { id: answer, effect } : undefined
}

/** Listens on a card until closed. Everything is heard in the capture phase of the card or of the view, so nothing on the way can take it. */
export function listenForAnswers(view: Window, card: HTMLElement, listener: AnswerListener): Answers {
  const now = (): number => view.performance.now()
  let state: GateState = opened(engineLevel(), now())
  let run: Run | undefined
  /** What the mouse was over since the frame last moved. */
  let crossed = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const ending = new AbortController()

  const signal = (next: Signal): void => {
    const [after, verdict] = step(state, next)
    state = after
    if (verdict.kind === 'hold') setTimeout(() => signal({ kind: 'time', at: now() }), verdict.until - now() + 1)
    if (verdict.kind === 'ignored') listener.ignored(verdict.why)
    if (verdict.kind === 'confirm') listener.confirm(verdict.control)
    if (verdict.kind === 'answer' && !ending.signal.aborted) listener.answer(verdict.control)
    tellReady()
  }
  const tellReady = (): void => {
    clearTimeout(timer)
    if (ending.signal.aborted) return
    listener.ready(ready(state, now()))
    const rest = timing.settle - (now() - state.changedAt)
    if (rest > 0) timer = setTimeout(tellReady, rest + 1)
  }

  const approached = (event: PointerEvent, control: Control): boolean =>
    event.pointerType !== 'mouse' || (run !== undefined && now() - run.since >= timing.settle && [...crossed].some(id => id !== control.id))
  const forget = (): void => {
    run = undefined
    crossed = new Set()
  }
  const track = (event: PointerEvent): void => {
    if (event.pointerType !== 'mouse' || !event.isTrusted) return
    const before = run
    run = follow(run, { at: now(), x: event.clientX, y: event.clientY, screenX: event.screenX, screenY: event.screenY })
    if (before?.since !== run.since) crossed = new Set()
    crossed.add(controlAt(event.target)?.id ?? '')
  }
  /** A mouse that leaves in the middle of the view met something of the page in front of the card, or a hole in it. */
  const leave = (event: PointerEvent): void => {
    const { clientX: x, clientY: y } = event
    if (event.relatedTarget === null && x > edge && y > edge && x < view.innerWidth - edge && y < view.innerHeight - edge) forget()
  }

  const down = (event: PointerEvent): void => {
    track(event)
    const control = controlAt(event.target)
    if (control === undefined || !event.isPrimary || event.button !== 0) return signal({ kind: 'cancel', at: now() })
    const by = `pointer:${event.pointerId}`
    signal({ kind: 'press', at: now(), control, by, trusted: event.isTrusted, repeat: false, approached: approached(event, control) })
  }
  const up = (event: PointerEvent): void => {
    track(event)
    const control = controlAt(event.target) ?? { id: '', effect: 'refuse' }
    signal({ kind: 'release', at: now(), control, by: `pointer:${event.pointerId}`, trusted: event.isTrusted })
  }

  const keyControl = (event: KeyboardEvent): Control | undefined =>
    event.key === 'Escape' ? escape : keys.has(event.key) && !event.isComposing ? controlAt(event.target) : undefined
  const keyDown = (event: KeyboardEvent): void => {
    const control = keyControl(event)
    if (control === undefined) return
    // The browser would make a click of it, some on press and some on release.
    event.preventDefault()
    signal({ kind: 'press', at: now(), control, by: event.key, trusted: event.isTrusted, repeat: event.repeat, approached: true })
  }
  const keyUp = (event: KeyboardEvent): void => {
    const control = keyControl(event)
    if (control === undefined) return
    event.preventDefault()
    signal({ kind: 'release', at: now(), control, by: event.key, trusted: event.isTrusted })
  }
  /** Assistive technology presses a button without pointer or key. */
  const click = (event: MouseEvent): void => {
    const control = controlAt(event.target)
    if (control === undefined || event.detail !== 0 || !event.isTrusted) return
    const assisted = { at: now(), control, by: 'assistive technology', trusted: true }
    signal({ kind: 'press', ...assisted, repeat: false, approached: true })
    signal({ kind: 'release', ...assisted })
  }

  const changed = (): void => signal({ kind: 'changed', at: now() })
  const cancel = (): void => signal({ kind: 'cancel', at: now() })
  const rules = { capture: true, signal: ending.signal }
  card.addEventListener('pointerdown', down, rules)
  card.addEventListener('pointerup', up, rules)
  card.addEventListener('pointercancel', cancel, rules)
  card.addEventListener('click', click, rules)
  view.addEventListener('keydown', keyDown, rules)
  view.addEventListener('keyup', keyUp, rules)
  view.addEventListener('pointermove', track, rules)
  view.addEventListener('pointerout', leave, rules)
  view.addEventListener('focus', changed, { signal: ending.signal })
  view.addEventListener('blur', changed, { signal: ending.signal })
  view.document.addEventListener('visibilitychange', changed, rules)
  tellReady()

  return {
    sight: sight => signal({ kind: 'sight', at: now(), shown: sight.shown }),
    changed,
    close: () => {
      clearTimeout(timer)
      ending.abort()
    },
  }
}
