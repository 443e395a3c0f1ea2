import { boolean, call, callback, list, nothing, number, object, oneOf, optional, string, tuple, type Received, type Sent } from './shape.ts'

const length = /* @__PURE__ */ number()
/** Four corner radii in css order: top-left, top-right, bottom-right, bottom-left. */
export const radii = /* @__PURE__ */ tuple(length, 4)
export type Radii = Received<typeof radii>

/** Viewport coordinates. */
const box = { x: length, y: length, width: length, height: length }
export const surfaceRect = /* @__PURE__ */ object(box)
export type SurfaceRect = Received<typeof surfaceRect>

/** A clickable rectangle of the broker. */
export const overlayRect = /* @__PURE__ */ object({ ...box, radius: /* @__PURE__ */ optional(radii) })
export type OverlayRect = Received<typeof overlayRect>

/** Why a surface of the broker cannot be seen. */
export const displayCause = /* @__PURE__ */ oneOf('not-rendered', 'clipped', 'not-shown')
export type DisplayCause = Received<typeof displayCause>
/** `full` when the engine reported a boolean isVisible, `liveness` when it is only known to paint. */
export const displayLevel = /* @__PURE__ */ oneOf('full', 'liveness')
export type DisplayLevel = Received<typeof displayLevel>

/** A surface the person cannot see and which therefore takes no answer. */
export const hiddenSurface = /* @__PURE__ */ object({ cause: displayCause, kind: /* @__PURE__ */ string({ max: 64 }), level: displayLevel })
export type HiddenSurface = Received<typeof hiddenSurface>

/** What the host page must know of the broker's frame to lay it out and to clip it. */
export const overlayState = /* @__PURE__ */ object({
  hidden: /* @__PURE__ */ list(hiddenSurface, { max: 256 }),
  inset: /* @__PURE__ */ object({ top: length }),
  modal: boolean,
  rects: /* @__PURE__ */ list(overlayRect, { max: 256 }),
  view: /* @__PURE__ */ object({ height: length, width: length }),
})
export type OverlayState = Received<typeof overlayState>

/** The host page gives a function; the broker calls it with each state. */
export const overlay = {
  setHost: /* @__PURE__ */ call([/* @__PURE__ */ callback([overlayState]), /* @__PURE__ */ optional(boolean)], nothing),
}
export type SetOverlayHost = (push: (state: Sent<typeof overlayState>) => void, options?: boolean) => void
