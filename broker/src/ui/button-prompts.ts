import type { ConnectCard, ConnectOutcome, Prompts } from '../prompts.ts'

/** What the button shows: nothing to press yet, ready, waiting for the window, or a press that the browser blocked. */
export type ButtonState = 'preparing' | 'ready' | 'waiting' | 'blocked'

/** Prompts whose only card is the button itself. */
export interface ButtonPrompts extends Prompts {
  readonly state: ButtonState
  /** Opens the window, or shows it where it is open; call it inside a click. */
  press(): void
  onChange(listener: () => void): () => void
}

/** Prompts for a page that is one button: it is the card before the window, and while that is open the way to it. */
export function buttonPrompts(): ButtonPrompts {
  let state: ButtonState = 'preparing'
  let press = (): void => {}
  const listeners = new Set<() => void>()
  const show = (next: ButtonState, pressed: () => void): void => {
    state = next
    press = pressed
    for (const listener of [...listeners]) listener()
  }
  const offer = ({ open, signal }: ConnectCard): Promise<ConnectOutcome> =>
    new Promise(resolve => {
      const tryOpen = (): void => {
        if (open() === null) show('blocked', tryOpen)
        else resolve('opened')
      }
      signal.addEventListener('abort', () => resolve('declined'))
      show('ready', tryOpen)
    })
  return {
    get state() {
      return state
    },
    press: () => press(),
    onChange: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    connect: offer,
    waiting: ({ focus }) => {
      show('waiting', focus)
      return () => show('preparing', () => {})
    },
    claimsFull: () => Promise.resolve(),
    adopt: () => Promise.resolve(false),
    conflict: () => Promise.resolve(null),
    node: () => Promise.resolve(null),
    // The frame of the same page has the room to say more than a button can.
    notice: () => {},
    updateReady: () => () => {},
  }
}
