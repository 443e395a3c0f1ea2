import { boolean, call, callback, nothing, nullable, object, optional, string, type Received } from './shape.ts'
import { unsubscribe } from './answers.ts'

/** The signed-in account as an app may know it: never an account id. */
export const accountInfo = /* @__PURE__ */ object({
  image: /* @__PURE__ */ nullable(/* @__PURE__ */ string({ max: 262_144 })),
  name: /* @__PURE__ */ string(),
  premium: boolean,
  premiumUntil: /* @__PURE__ */ nullable(/* @__PURE__ */ string({ max: 64 })),
})
export type Account = Received<typeof accountInfo>

/** `switched` is true only when the account the broker acts as changed; false for a renewal of the same account's token. */
export const accountChange = /* @__PURE__ */ object({ switched: boolean })
export type AccountChange = Received<typeof accountChange>

/** The origin that asks, as text; the broker takes the app's identity from the browser and never from this. */
export const consumerOrigin = /* @__PURE__ */ string({ max: 2048 })

/** Report the signed-in account, sign in, sign out, notify on change. */
export const account = {
  info: /* @__PURE__ */ call([], /* @__PURE__ */ nullable(accountInfo)),
  login: /* @__PURE__ */ call([consumerOrigin], boolean, { deadline: Infinity }),
  logout: /* @__PURE__ */ call([], nothing),
  onChange: /* @__PURE__ */ call([/* @__PURE__ */ callback([/* @__PURE__ */ optional(accountChange)])], unsubscribe),
}
