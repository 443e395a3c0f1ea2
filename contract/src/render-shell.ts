import { frameErrorTypes } from './frame-errors.ts'
import { clearCookiesScope, clearCookiesWire, hostList, jarSeed, selectorPart, shellGotoOptions } from './frame-shapes.ts'
import { call, list, nothing, opaque, optional, string, unchecked } from './shape.ts'

const url = /* @__PURE__ */ string({ max: 65_536 })
const own = { codes: frameErrorTypes, deadline: Infinity } as const
const newer = { codes: frameErrorTypes, since: 2 } as const

/** What the render proxy's shell answers its middle page; calls marked `since` are absent on older shells. */
export const shellControl = {
  blank: /* @__PURE__ */ call([], url, { since: 2 }),
  // Anything but a list of non-empty strings is a TypeError of the shell's own.
  carry: /* @__PURE__ */ call([/* @__PURE__ */ unchecked(hostList)], nothing, newer),
  clearCookies: /* @__PURE__ */ call([/* @__PURE__ */ unchecked(clearCookiesWire), clearCookiesScope], nothing, newer),
  executeLocator: /* @__PURE__ */ call(
    [
      /* @__PURE__ */ list(selectorPart, { max: 256 }),
      /* @__PURE__ */ string({ max: 64 }),
      /* @__PURE__ */ list(opaque, { max: 64 }),
      /* @__PURE__ */ optional(opaque),
    ],
    opaque,
    own,
  ),
  flushCookies: /* @__PURE__ */ call([], nothing, { since: 2 }),
  goto: /* @__PURE__ */ call([url, /* @__PURE__ */ optional(shellGotoOptions)], nothing, own),
  ready: /* @__PURE__ */ call([], nothing, own),
  seed: /* @__PURE__ */ call([jarSeed], nothing, newer),
  sweepStorage: /* @__PURE__ */ call([], nothing, { since: 2 }),
}
