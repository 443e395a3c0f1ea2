import { boolean, either, nullable, object, oneOf, opaque, string, type Received, type Shape } from '@deputy/contract/shape'
import { fits } from '@deputy/contract/validate'

/**
 * What the frame and the sign-in window tell each other, both on the broker's own origin. Each side takes a message only from the
 * very window it opened, or was opened by, and only from that origin, so nobody else takes part.
 */

/** Fragment of a sign-in window that was opened for an app; without it the window serves the account alone. */
export const forApp = '#app'

/** Window to frame, repeated until it is answered: what is asked of me? */
export const hello = /* @__PURE__ */ object({ type: oneOf('deputy:hello') })
/**
 * Frame to window. `app` is the origin the browser named to the frame; `choose` asks not to go on with the last account unasked.
 * To `unlock` is to hand over the app's keys; `account` is then whose the frame has a session of.
 */
export const request = /* @__PURE__ */ object({
  type: oneOf('deputy:request'),
  app: string({ max: 300 }),
  purpose: oneOf('sign-in', 'connect', 'unlock'),
  account: nullable(string({ max: 100 })),
  challenge: string({ min: 43, max: 43 }),
  choose: boolean,
})
export type ConnectRequest = Received<typeof request>
/**
 * Window to frame: the person allowed it. The code is good once, for the holder of the verifier; null where the frame's session goes
 * on. `keys` are the app's, where the window holds any: `appKeysFrom` says whether they are.
 */
export const allowed = /* @__PURE__ */ object({ type: oneOf('deputy:allowed'), code: nullable(string({ max: 100 })), keys: opaque })
/** Window to frame: the person refused. */
export const refused = /* @__PURE__ */ object({ type: oneOf('deputy:refused') })
/** Frame to window: heard, you may close. */
export const heard = /* @__PURE__ */ object({ type: oneOf('deputy:heard') })

const fromWindow = /* @__PURE__ */ either(hello, allowed, refused)
const fromFrame = /* @__PURE__ */ either(request, heard)

/** Where messages to and from one other window of the broker's own origin go. */
export interface Partner {
  readonly target: Window
  readonly origin: string
  /** The window whose message events are heard. */
  readonly realm: Window
}

const listener =
  <S extends Shape>(shape: S) =>
  ({ target, origin, realm }: Partner, listen: (message: Received<S>) => void): (() => void) => {
    const hear = (event: MessageEvent): void => {
      if (event.source === target && event.origin === origin && fits(shape, event.data)) listen(event.data as Received<S>)
    }
    realm.addEventListener('message', hear)
    return () => realm.removeEventListener('message', hear)
  }

/** In the frame: calls with each message of the window. Answers the end of it. */
export const hearWindow = listener(fromWindow)
/** In the window: calls with each message of the frame that opened it. Answers the end of it. */
export const hearFrame = listener(fromFrame)

/** Sends to the partner, to nobody else should it have gone elsewhere. */
export const tell = ({ target, origin }: Partner, message: Received<typeof fromWindow> | Received<typeof fromFrame>): void =>
  target.postMessage(message, origin)
