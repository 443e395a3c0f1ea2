import { unsubscribe } from './answers.ts'
import { boolean, call, callback } from './shape.ts'

/** Check for, announce and apply updates of the broker. */
export const shell = {
  updateReady: /* @__PURE__ */ call([], boolean),
  applyUpdate: /* @__PURE__ */ call([], boolean),
  onUpdate: /* @__PURE__ */ call([/* @__PURE__ */ callback([])], unsubscribe),
  onUpdateTaken: /* @__PURE__ */ call([/* @__PURE__ */ callback([])], unsubscribe),
}
