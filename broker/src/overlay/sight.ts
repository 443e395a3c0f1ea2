import type { DisplayCause, DisplayLevel } from '@deputy/contract/overlay'

/** What is known of a surface: whether the person can see all of it, how surely that is known, and what is in the way. */
export interface Sight {
  readonly level: DisplayLevel
  readonly shown: boolean
  readonly cause?: DisplayCause
}

/** What IntersectionObserver tells of one look at a surface. */
export interface Look {
  readonly ratio: number
  readonly area: number
  /** Absent where the engine does not track visibility. */
  readonly isVisible?: boolean
  /** Whether the document is drawn at all. */
  readonly painting: boolean
}

/** The sight that follows from a look. */
export function judge({ ratio, area, isVisible, painting }: Look): Sight {
  const level = isVisible === undefined ? 'liveness' : 'full'
  const hiddenBy = (cause: DisplayCause): Sight => ({ level, shown: false, cause })
  if (!painting || area === 0) return hiddenBy('not-rendered')
  if (ratio < 0.999) return hiddenBy('clipped')
  if (isVisible === false) return hiddenBy('not-shown')
  return { level, shown: true }
}

/** Tracking of visibility, which TypeScript's DOM library does not know. */
interface VisibilityOptions extends IntersectionObserverInit {
  readonly trackVisibility: boolean
  readonly delay: number
}

/** The surest level this engine can report. */
export const engineLevel = (): DisplayLevel =>
  typeof IntersectionObserverEntry !== 'undefined' && 'isVisible' in IntersectionObserverEntry.prototype ? 'full' : 'liveness'

const thresholds = Array.from({ length: 21 }, (_, index) => index / 20)
const beat = 500
const missed = 3

/**
 * Watches how much of an element the person can see and reports each change, the first look included. Ends with what it answers.
 * The observer is the only one that knows of the host page; a stopped animation clock tells of a frame that is not drawn.
 */
export function watchSight(element: Element, report: (sight: Sight) => void): () => void {
  const level = engineLevel()
  let look: Look = { ratio: 0, area: 0, ...(level === 'full' ? { isVisible: false } : {}), painting: true }
  let last = ''
  const say = (next: Look): void => {
    look = next
    const sight = judge(look)
    const text = `${sight.shown} ${sight.cause}`
    if (text === last) return
    last = text
    report(sight)
  }

  const options: VisibilityOptions = { threshold: thresholds, trackVisibility: true, delay: 100 }
  const observer = new IntersectionObserver(entries => {
    const entry = entries.at(-1)
    if (entry === undefined) return
    const { width, height } = entry.boundingClientRect
    const { isVisible } = entry as { isVisible?: boolean }
    say({ ratio: entry.intersectionRatio, area: width * height, painting: look.painting, ...(level === 'full' ? { isVisible: isVisible === true } : {}) })
  }, options)
  observer.observe(element)

  let painted = 0
  let silent = 0
  let frame = 0
  const paint = (): void => {
    painted += 1
    frame = requestAnimationFrame(paint)
  }
  frame = requestAnimationFrame(paint)
  const heart = setInterval(() => {
    silent = painted === 0 ? silent + 1 : 0
    painted = 0
    say({ ...look, painting: document.visibilityState === 'visible' && silent < missed })
  }, beat)

  return () => {
    observer.disconnect()
    cancelAnimationFrame(frame)
    clearInterval(heart)
  }
}
