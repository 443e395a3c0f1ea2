import { boolean, list, number, object, oneOf, oneOfOr, opaque, optional, string, type Received } from './shape.ts'

const text = /* @__PURE__ */ string({ max: 65_536 })
const host = /* @__PURE__ */ string({ max: 253 })
export const hostList = /* @__PURE__ */ list(host, { max: 1024 })

/** One step of a locator: the engine that reads it and what it is to find. */
export const selectorPart = /* @__PURE__ */ object({ body: opaque, engine: /* @__PURE__ */ string({ max: 64 }) })
export type SelectorPart = Received<typeof selectorPart>

/** `timeoutMs` is the deadline, 30,000 when absent; `waitUntil` is `load` when absent. */
const goto = {
  domains: /* @__PURE__ */ optional(hostList),
  timeoutMs: /* @__PURE__ */ optional(/* @__PURE__ */ number({ min: 0 })),
  waitUntil: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf('load', 'commit', 'documentstart')),
}
export const middleGotoOptions = /* @__PURE__ */ object(goto)
export type MiddleGotoOptions = Received<typeof middleGotoOptions>
/** A shell reads what a newer middle page waits for, and it does not know, as `load` (VER-3); the middle page has refused what nobody knows. */
export const shellGotoOptions = /* @__PURE__ */ object({
  ...goto,
  waitUntil: /* @__PURE__ */ optional(/* @__PURE__ */ oneOfOr('load', 'load', 'commit', 'documentstart')),
  commitFallback: /* @__PURE__ */ optional(boolean),
})
export type ShellGotoOptions = Received<typeof shellGotoOptions>

const equals = /* @__PURE__ */ optional(/* @__PURE__ */ object({ equals: text }))
/** Which cookies to remove; without a member every cookie in reach. */
export const clearCookiesWire = /* @__PURE__ */ object({ domain: equals, name: equals, path: equals })
export type ClearCookiesWire = Received<typeof clearCookiesWire>
/** The hosts whose sites a removal may touch. */
export const clearCookiesScope = /* @__PURE__ */ object({ hosts: hostList })
export type ClearCookiesScope = Received<typeof clearCookiesScope>

/** A cookie of a storage state; `expires` in epoch ms, -1 or absent for a session cookie. */
export const storageStateCookie = /* @__PURE__ */ object({
  domain: host,
  expires: /* @__PURE__ */ optional(/* @__PURE__ */ number()),
  httpOnly: /* @__PURE__ */ optional(boolean),
  name: text,
  path: /* @__PURE__ */ optional(text),
  sameSite: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf('Strict', 'Lax', 'None')),
  secure: /* @__PURE__ */ optional(boolean),
  value: text,
})
const item = /* @__PURE__ */ object({ name: text, value: /* @__PURE__ */ string({ max: 2 ** 24 }) })
const originItems = /* @__PURE__ */ object({ localStorage: /* @__PURE__ */ list(item), origin: text })
/** Cookies and localStorage items of a fresh attachment, in the app's shape. */
export const storageState = /* @__PURE__ */ object({
  cookies: /* @__PURE__ */ optional(/* @__PURE__ */ list(storageStateCookie)),
  origins: /* @__PURE__ */ optional(/* @__PURE__ */ list(originItems)),
})
export type StorageState = Received<typeof storageState>
/** A checked storage state on its way into a jar. */
export const jarSeed = /* @__PURE__ */ object({ cookies: /* @__PURE__ */ list(storageStateCookie), origins: /* @__PURE__ */ list(originItems) })
export type JarSeed = Received<typeof jarSeed>
