import { realClock, type Clock } from './clock.ts'

/** How a silent peer is noticed. */
export interface HeartbeatOptions {
  /** Milliseconds between looks. */
  readonly every?: number
  /** Milliseconds of silence, while something is open, after which the peer is dead. */
  readonly patience?: number
  readonly clock?: Clock | undefined
}

/** What is watched. */
export interface Heart {
  /** Whether a dead peer would be missed. */
  busy(): boolean
  /** Whether the peer is known to be gone without asking. */
  gone(): boolean
  heard(): boolean
  ping(): void
  end(reason: 'gone' | 'timeout'): void
  readonly closed: Promise<unknown>
}

/**
 * Ends a link whose peer is gone or silent. It asks only while something is open, and counts silence only while timers run
 * as they should: not in a hidden page, and not over a pause such as a page kept for going back.
 */
export function watch(heart: Heart, { every = 5000, patience = 15_000, clock = realClock }: HeartbeatOptions = {}): void {
  let silent = 0
  let last = clock.now()
  let stop = () => {}
  const look = () => {
    const now = clock.now()
    const paused = now - last > 2 * every || hidden()
    last = now
    silent = heart.heard() || paused || !heart.busy() ? 0 : silent + every
    if (heart.gone()) return heart.end('gone')
    if (silent > patience) return heart.end('timeout')
    if (heart.busy() && !hidden()) heart.ping()
    stop = clock.after(every, look)
  }
  stop = clock.after(every, look)
  void heart.closed.then(() => stop())
}

const hidden = (): boolean => typeof document === 'object' && document.visibilityState === 'hidden'
