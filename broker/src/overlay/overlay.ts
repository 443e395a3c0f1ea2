import type { OverlayState, overlay } from '@deputy/contract/overlay'
import type { Served } from '@deputy/contract/shape'
import { engineLevel, watchSight, type Sight } from './sight.ts'
import { overlayStateOf, rectOf, type ShownSurface, type SurfaceKind } from './state.ts'

/** How a surface sits in the page. */
export interface SurfaceRules {
  readonly modal?: boolean
  readonly docked?: boolean
}

/** A surface that is being shown. */
export interface Surface {
  /** Looks again at once, after something was drawn that may have changed places. */
  measure(): void
  close(): void
}

/** Hears of a surface: how well it is seen, and that it appeared, moved or changed its size. */
export interface SurfaceListener {
  sight?(sight: Sight): void
  changed?(): void
}

/** What the broker shows over the host page, and how the page is told (OVL-1). */
export interface Overlay {
  readonly served: Served<typeof overlay>
  /** Resolves once the page has taken up what is shown now, or does not say so for a moment. */
  settled(): Promise<void>
  /** Whether a page has handed in where states go. */
  hosted(): boolean
  show(kind: SurfaceKind, element: HTMLElement, rules?: SurfaceRules, listener?: SurfaceListener): Surface
}

const patience = 300

type Push = (state: OverlayState) => unknown

interface Watched {
  readonly surface: () => ShownSurface
  readonly look: () => void
}

/** The overlay of this document. The host is the page that framed it; the last function handed in is the one that is told. */
export function overlayOf(view: Window): Overlay {
  let push: Push | undefined
  let told = ''
  let queued = false
  let delivery: Promise<unknown> = Promise.resolve()
  const shown = new Set<Watched>()

  const tell = (): void => {
    queued = false
    for (const watched of shown) watched.look()
    if (push === undefined) return
    const state = overlayStateOf(
      [...shown].map(watched => watched.surface()),
      { width: view.innerWidth, height: view.innerHeight },
    )
    const text = JSON.stringify(state)
    if (text === told) return
    told = text
    const to = push
    // A host that went away is forgotten; it hands in a new function when it comes back.
    const gone = (): void => {
      if (push === to) push = undefined
    }
    delivery = Promise.resolve()
      .then(() => to(state))
      .catch(gone)
  }
  // A microtask and no animation frame: the browser gives a frame that is clipped away none.
  const soon = (): void => {
    if (queued) return
    queued = true
    queueMicrotask(tell)
  }
  view.addEventListener('resize', soon)

  const show: Overlay['show'] = (kind, element, rules = {}, listener = {}) => {
    let sight: Sight = { level: engineLevel(), shown: false }
    let place = ''
    const look = (): void => {
      const now = `${JSON.stringify(rectOf(element))} ${view.innerWidth} ${view.innerHeight}`
      if (now === place) return
      place = now
      listener.changed?.()
    }
    const watched: Watched = { look, surface: () => ({ kind, rect: rectOf(element), modal: rules.modal === true, docked: rules.docked === true, sight }) }
    const sizes = new ResizeObserver(soon)
    sizes.observe(element)
    const moves = (): void => soon()
    element.addEventListener('animationend', moves)
    element.addEventListener('transitionend', moves)
    const blind = watchSight(element, next => {
      sight = next
      listener.sight?.(next)
      soon()
    })
    shown.add(watched)
    soon()
    return {
      measure: soon,
      close: () => {
        sizes.disconnect()
        blind()
        element.removeEventListener('animationend', moves)
        element.removeEventListener('transitionend', moves)
        shown.delete(watched)
        soon()
      },
    }
  }

  return {
    served: {
      setHost: next => {
        push = next
        told = ''
        soon()
      },
    },
    settled: async () => {
      tell()
      await Promise.race([delivery, new Promise(resolve => setTimeout(resolve, patience))])
    },
    hosted: () => push !== undefined,
    show,
  }
}
