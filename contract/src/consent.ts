import { boolean, call, either, list, object, oneOf, optional, string, type Received } from './shape.ts'

/** What a category row asks for: every capability of that category. */
export const consentCategories = ['interaction', 'storage', 'network', 'evaluation'] as const
export type ConsentCategory = (typeof consentCategories)[number]

/** Scopes of libraries older than the categories; the card maps both to `network`. */
export const frameFetchScopes = ['frame.fetchRead', 'frame.fetchWrite'] as const
export type FrameFetchScope = (typeof frameFetchScopes)[number]

const hosts = /* @__PURE__ */ list(/* @__PURE__ */ string({ max: 253 }), { max: 256 })

/** One row of the consent card: a category, one critical key, or a legacy scope. */
export const frameConsentRequest = /* @__PURE__ */ either(
  /* @__PURE__ */ object({ category: /* @__PURE__ */ oneOf(...consentCategories), hosts }),
  /* @__PURE__ */ object({ attach: /* @__PURE__ */ optional(/* @__PURE__ */ string({ max: 128 })), hosts, key: /* @__PURE__ */ string({ max: 128 }) }),
  /* @__PURE__ */ object({ hosts, scope: /* @__PURE__ */ oneOf(...frameFetchScopes) }),
)
export type FrameConsentRequest = Received<typeof frameConsentRequest>

/** `once` binds to the attachment that asked, `session` holds until removed from the broker's bar, `false` refuses. */
export const frameConsentAnswer = /* @__PURE__ */ oneOf('once', 'session', false)
export type FrameConsentAnswer = Received<typeof frameConsentAnswer>

/** Ask the person to allow capabilities of embedded pages. */
export const frameConsent = {
  request: /* @__PURE__ */ call([/* @__PURE__ */ list(frameConsentRequest, { max: 64 })], /* @__PURE__ */ list(frameConsentAnswer, { max: 64 }), {
    deadline: Infinity,
  }),
  ensure: /* @__PURE__ */ call([frameConsentRequest], boolean, { deadline: Infinity }),
}
