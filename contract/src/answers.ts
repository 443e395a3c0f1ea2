import { callback, object, oneOf } from './shape.ts'

/** What an operation that registers a listener answers: a function that ends the registration. */
export const unsubscribe = /* @__PURE__ */ callback([])

/** The answer of an operation that has nothing else to say than that it was done. */
export const ok = /* @__PURE__ */ object({ ok: /* @__PURE__ */ oneOf(true) })
