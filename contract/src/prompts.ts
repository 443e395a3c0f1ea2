import { call, nothing, optional, string } from './shape.ts'

/** Offer to install the extension or the desktop agent; `reason` is the app's own words. */
export const installPrompt = {
  show: /* @__PURE__ */ call([/* @__PURE__ */ optional(/* @__PURE__ */ string({ max: 1024 }))], nothing),
  hide: /* @__PURE__ */ call([], nothing),
}

/** Let the person pick the tunnel node; the answer is the node's id. */
export const relay = {
  prompt: /* @__PURE__ */ call([], /* @__PURE__ */ string({ max: 256 }), { deadline: Infinity }),
}
