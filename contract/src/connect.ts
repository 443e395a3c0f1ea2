import { consumerOrigin } from './account.ts'
import { boolean, call, oneOf, type Received } from './shape.ts'

/** `disconnected` is an answer; `unknown` means nobody was asked. */
export const connectAvailability = /* @__PURE__ */ oneOf('connected', 'disconnected', 'unknown')
export type ConnectAvailability = Received<typeof connectAvailability>

/** Ask the person for consent to connect the app to their account. */
export const connect = {
  prompt: /* @__PURE__ */ call([consumerOrigin], boolean, { deadline: Infinity }),
}
