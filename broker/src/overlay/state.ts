import type { HiddenSurface, OverlayRect, OverlayState } from '@deputy/contract/overlay'
import type { Sight } from './sight.ts'

/** What the broker can show: its card, the docked bar and what it folds into, a passing line. */
export type SurfaceKind = 'card' | 'bar' | 'pill' | 'notice'

/** One thing shown, as the host page must know it. */
export interface ShownSurface {
  readonly kind: SurfaceKind
  readonly rect: OverlayRect
  /** The page behind takes no input, and the whole view belongs to the broker. */
  readonly modal: boolean
  /** The page is asked to leave the surface's height free at the top. */
  readonly docked: boolean
  readonly sight: Sight
}

type View = OverlayState['view']

const hidden = ({ kind, sight }: ShownSurface): HiddenSurface[] =>
  sight.shown || sight.cause === undefined ? [] : [{ kind, cause: sight.cause, level: sight.level }]

/** The state the host page gets: with a modal surface the whole view takes clicks, else only the surfaces' own rectangles. */
export function overlayStateOf(surfaces: readonly ShownSurface[], view: View): OverlayState {
  const modal = surfaces.some(surface => surface.modal)
  const docked = surfaces.filter(surface => surface.docked).map(({ rect }) => rect.y + rect.height)
  return {
    hidden: surfaces.flatMap(hidden),
    inset: { top: Math.max(0, ...docked) },
    modal,
    rects: modal ? [{ x: 0, y: 0, ...view }] : surfaces.map(({ rect }) => rect).filter(({ width, height }) => width > 0 && height > 0),
    view,
  }
}

const radius = (text: string): number => Number.parseFloat(text) || 0

/** Where an element is in the view, with its corners, in CSS pixels. */
export function rectOf(element: Element): OverlayRect {
  const { x, y, width, height } = element.getBoundingClientRect()
  const { borderTopLeftRadius, borderTopRightRadius, borderBottomRightRadius, borderBottomLeftRadius } = getComputedStyle(element)
  const corners = [borderTopLeftRadius, borderTopRightRadius, borderBottomRightRadius, borderBottomLeftRadius].map(radius) as [number, number, number, number]
  return { x, y, width, height, ...(corners.some(corner => corner > 0) ? { radius: corners } : {}) }
}
