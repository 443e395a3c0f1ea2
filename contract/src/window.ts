import { frameConsentAnswer, frameConsentRequest } from './consent.ts'
import { middleControl } from './middle.ts'
import { call, list, nothing, oneOf } from './shape.ts'

/** What the window of an attachment answers its opener: the middle page's members and those of a window of its own. */
export const windowMiddleControl = {
  ...middleControl,
  flushCookies: /* @__PURE__ */ call([], nothing),
  ping: /* @__PURE__ */ call([], /* @__PURE__ */ oneOf(true)),
  requestConsent: /* @__PURE__ */ call([/* @__PURE__ */ list(frameConsentRequest, { max: 64 })], /* @__PURE__ */ list(frameConsentAnswer, { max: 64 }), {
    deadline: Infinity,
  }),
  sweepStorage: /* @__PURE__ */ call([], nothing),
}
