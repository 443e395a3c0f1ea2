import { ATTACH_WINDOW_MESSAGE, FRAME_MESSAGE, JAR_ANCHOR_MESSAGE, SHELL_ATTACH_ERROR, SHELL_FRAME_MESSAGE, SHELL_JAR_MESSAGE } from './keys.ts'
import { boolean, either, list, object, oneOf, opaque, optional, string, type Received } from './shape.ts'

const attach = /* @__PURE__ */ string({ max: 128 })
const origin = /* @__PURE__ */ string({ max: 2048 })
const message = /* @__PURE__ */ oneOf('message')
const document = /* @__PURE__ */ oneOf('document')
const words = /* @__PURE__ */ string({ max: 1024 })

/** Middle page to app: a message the page addressed to the app's own origin, or the arrival of a document. */
export const frameMessageRelay = /* @__PURE__ */ either(
  /* @__PURE__ */ object({ attach, data: opaque, kind: message, origin, type: /* @__PURE__ */ oneOf(FRAME_MESSAGE) }),
  /* @__PURE__ */ object({ attach, kind: document, origin, type: /* @__PURE__ */ oneOf(FRAME_MESSAGE) }),
)
export type FrameMessageRelay = Received<typeof frameMessageRelay>

/** Shell to middle page: what the page posted to a foreign origin, or the arrival of a document. */
export const shellFrameMessage = /* @__PURE__ */ either(
  /* @__PURE__ */ object({
    data: opaque,
    kind: message,
    origin,
    targetOrigin: origin,
    transfer: /* @__PURE__ */ list(opaque, { max: 64 }),
    type: /* @__PURE__ */ oneOf(SHELL_FRAME_MESSAGE),
  }),
  /* @__PURE__ */ object({ kind: document, origin, type: /* @__PURE__ */ oneOf(SHELL_FRAME_MESSAGE) }),
)
export type ShellFrameMessage = Received<typeof shellFrameMessage>

/** Why a shell has no jar. */
export const shellJarUnreachable = /* @__PURE__ */ oneOf(
  'bad-attach',
  'no-storage',
  'bad-jar',
  'no-parent',
  'no-jar-host',
  'no-token',
  'no-indexeddb',
  'failed',
)
export type ShellJarUnreachable = Received<typeof shellJarUnreachable>

/** The messages between an app and the window of an attachment. */
export const attachWindowMessage = /* @__PURE__ */ either(
  /* @__PURE__ */ object({ attach, type: /* @__PURE__ */ oneOf(ATTACH_WINDOW_MESSAGE.hello, ATTACH_WINDOW_MESSAGE.gone) }),
  /* @__PURE__ */ object({ attach, type: /* @__PURE__ */ oneOf(ATTACH_WINDOW_MESSAGE.detach), unanswered: /* @__PURE__ */ optional(boolean) }),
  /* @__PURE__ */ object({ attach, reason: words, type: /* @__PURE__ */ oneOf(ATTACH_WINDOW_MESSAGE.refused) }),
)
export type AttachWindowMessage = Received<typeof attachWindowMessage>

/** The messages between a window, the anchor in its opener and the jar host; the port travels as transfer list. */
export const jarAnchorMessage = /* @__PURE__ */ object({
  attach,
  type: /* @__PURE__ */ oneOf(JAR_ANCHOR_MESSAGE.hello, JAR_ANCHOR_MESSAGE.host, JAR_ANCHOR_MESSAGE.port, JAR_ANCHOR_MESSAGE.ready, JAR_ANCHOR_MESSAGE.who),
})
export type JarAnchorMessage = Received<typeof jarAnchorMessage>

/** The messages between a shell and its middle page about the jar; the port travels as transfer list. */
export const shellJarMessage = /* @__PURE__ */ either(
  /* @__PURE__ */ object({
    attach,
    mode: /* @__PURE__ */ string({ max: 64 }),
    reason: /* @__PURE__ */ optional(shellJarUnreachable),
    type: /* @__PURE__ */ oneOf(SHELL_JAR_MESSAGE.mode),
  }),
  /* @__PURE__ */ object({ attach, type: /* @__PURE__ */ oneOf(SHELL_JAR_MESSAGE.port, SHELL_JAR_MESSAGE.request) }),
)
export type ShellJarMessage = Received<typeof shellJarMessage>

/** Posted by a shell that could not start. */
export const shellAttachError = /* @__PURE__ */ object({ message: words, type: /* @__PURE__ */ oneOf(SHELL_ATTACH_ERROR) })
export type ShellAttachError = Received<typeof shellAttachError>
