import type { OverlayState } from '@deputy/contract/overlay'

type Rect = OverlayState['rects'][number]

/** One rounded rectangle as a path; `clip-path: path()` takes the union of all of them. */
function rectPath({ x, y, width, height, radius }: Rect): string {
  const limit = Math.min(width, height) / 2
  const [a, b, c, d] = (radius ?? [0, 0, 0, 0]).map(corner => Math.max(0, Math.min(corner, limit))) as [number, number, number, number]
  const arc = (r: number, dx: number, dy: number) => `a${r} ${r} 0 0 1 ${dx} ${dy}`
  return [
    `M${x + a} ${y}`,
    `H${x + width - b}${arc(b, b, b)}`,
    `V${y + height - c}${arc(c, -c, c)}`,
    `H${x + d}${arc(d, -d, -d)}`,
    `V${y + a}${arc(a, a, -a)}Z`,
  ].join('')
}

/** The clip that leaves exactly the rects of an overlay state visible and clickable (OVL-2). */
export function clipPath(rects: readonly Rect[]): string {
  const drawn = rects.filter(rect => rect.width > 0 && rect.height > 0)
  // Never `display: none`, never faded: a frame the browser does not render cannot tell whether it is seen.
  return drawn.length === 0 ? 'inset(0 100% 100% 0)' : `path("${drawn.map(rectPath).join('')}")`
}

const sheetText = `
dialog[data-deputy] { all: initial; position: fixed; inset: 0; width: 100vw; height: 100vh; max-width: none; max-height: none;
  display: block; border: 0; padding: 0; margin: 0; background: none; overflow: visible; z-index: 2147483647; pointer-events: none; }
dialog[data-deputy]::backdrop { background: none; pointer-events: none; }
dialog[data-deputy] > iframe { position: fixed; inset: 0; width: 100%; height: 100%; border: 0; background: none;
  color-scheme: light dark; pointer-events: auto; clip-path: inset(0 100% 100% 0); }`

let sheet: CSSStyleSheet | undefined

/** Where a broker frame sits in the page: above everything, over the whole viewport, clipped to what the broker shows. */
export interface OverlayHost {
  readonly frame: HTMLIFrameElement
  /** Applies a state the broker pushed (OVL-1). */
  push(state: OverlayState): void
  /** Clips the frame away and gives the page back, as when the broker is gone. */
  clear(): void
}

/** Wraps the frame for the page. A dialog element, since only one can stand above the page's own modal dialogs and be clicked. */
export function hostOverlay(frame: HTMLIFrameElement): OverlayHost {
  const document = frame.ownerDocument
  if (sheet === undefined) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(sheetText)
  }
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  const dialog = document.createElement('dialog')
  dialog.dataset.deputy = ''
  dialog.setAttribute('closedby', 'none')
  dialog.addEventListener('cancel', event => event.preventDefault())
  dialog.append(frame)
  ;(document.body ?? document.documentElement).append(dialog)

  let shown = false
  let modal = false
  let restoreFocus: Element | null = null

  const lower = () => {
    if (dialog.matches(':popover-open')) dialog.hidePopover()
    if (dialog.open) dialog.close()
    dialog.removeAttribute('popover')
  }
  const raise = () => {
    if (!dialog.isConnected) return
    lower()
    if (modal) {
      dialog.showModal()
      frame.focus()
    } else if ('popover' in dialog) {
      dialog.popover = 'manual'
      dialog.showPopover()
    }
  }
  // A dialog or popover that the page opens later stands above ours until ours is raised again.
  document.addEventListener(
    'toggle',
    event => {
      const opened = event.target !== dialog && event.newState === 'open'
      if (opened && shown) raise()
    },
    true,
  )

  const apply = (state: Pick<OverlayState, 'rects' | 'modal' | 'inset'>) => {
    frame.style.clipPath = clipPath(state.rects)
    document.documentElement.style.setProperty('--deputy-inset-top', `${state.inset.top}px`)
    const show = state.rects.length > 0
    if (show === shown && state.modal === modal) return
    if (state.modal && !modal) restoreFocus = document.activeElement
    const wasModal = modal
    shown = show
    modal = state.modal && show
    if (shown) raise()
    else lower()
    if (wasModal && !modal && restoreFocus instanceof HTMLElement) restoreFocus.focus()
  }

  return {
    frame,
    push: apply,
    clear: () => apply({ rects: [], modal: false, inset: { top: 0 } }),
  }
}
