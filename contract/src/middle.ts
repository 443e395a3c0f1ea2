import { frameErrorTypes } from './frame-errors.ts'
import { clearCookiesWire, middleGotoOptions, selectorPart, storageState } from './frame-shapes.ts'
import { call, list, nothing, oneOf, opaque, optional, string, unchecked } from './shape.ts'

const url = /* @__PURE__ */ string({ max: 65_536 })
// A locator waits and a page loads under deadlines of their own, carried in the arguments.
const own = { codes: frameErrorTypes, deadline: Infinity } as const
const newer = { codes: frameErrorTypes, since: 2 } as const

/** What a middle page answers its library; calls marked `since` are absent on older pages. */
export const middleControl = {
  blank: /* @__PURE__ */ call([], url, { since: 2 }),
  // A RegExp and a malformed filter are refused in words of their own.
  clearCookies: /* @__PURE__ */ call([/* @__PURE__ */ unchecked(clearCookiesWire)], nothing, newer),
  documentHost: /* @__PURE__ */ call([], /* @__PURE__ */ string({ max: 253 }), { since: 2 }),
  executeLocator: /* @__PURE__ */ call(
    [/* @__PURE__ */ list(selectorPart, { max: 256 }), /* @__PURE__ */ string({ max: 64 }), /* @__PURE__ */ list(opaque, { max: 64 })],
    opaque,
    own,
  ),
  goto: /* @__PURE__ */ call([url, /* @__PURE__ */ optional(middleGotoOptions)], nothing, own),
  messaging: /* @__PURE__ */ call([], /* @__PURE__ */ oneOf(true), { since: 2 }),
  ready: /* @__PURE__ */ call([], nothing, own),
  seed: /* @__PURE__ */ call([/* @__PURE__ */ unchecked(storageState)], nothing, newer),
}
