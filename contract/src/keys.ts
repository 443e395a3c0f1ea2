/** Channel key of an inline attachment, exposed to the library at `/attach-frame`. */
export const ATTACH_FRAME_KEY = 'svc-attach-frame'
/** Channel key of a window attachment, exposed to its opener at `/attach-window`. */
export const ATTACH_WINDOW_KEY = 'svc-attach-window'
/** Event key of attachments made through the web extension. */
export const ATTACH_FRAME_EVENT_KEY = 'SVC_WEB_EXTENSION_ATTACH_FRAME_EVENT_KEY'
/** Between an app and the window of an attachment; each message carries the attach id. */
export const ATTACH_WINDOW_MESSAGE = {
  /** App to window, repeated until the channel connects. */
  hello: 'svc-attach-window',
  /** App to window when the app ends the attachment; `unanswered: true` when the window stopped answering pings. */
  detach: 'svc-attach-window-detach',
  /** Window to app: it no longer answers. */
  gone: 'svc-attach-window-gone',
  /** Window to app with a `reason`: it loaded nothing and exposes nothing. */
  refused: 'svc-attach-window-refused',
} as const
/** Posted by a middle page to its app for the listeners of a Frame. */
export const FRAME_MESSAGE = 'svc-frame-message'
/** Between a window, the anchor in its opener and the jar host; each message carries the attach id. */
export const JAR_ANCHOR_MESSAGE = {
  /** Window to each frame of its opener: is the anchor for this attachment here? */
  hello: 'svc-jar-hello',
  /** Jar host to anchor: the answer, the only one a port is relayed to. */
  host: 'svc-jar-host',
  /** Window to anchor and anchor to jar host, carrying exactly one port. */
  port: 'svc-jar-port',
  /** Anchor to the window it accepted. */
  ready: 'svc-jar-ready',
  /** Anchor to jar host after every load of the host frame: are you the jar host? */
  who: 'svc-jar-who',
} as const
/** Channel key of the shell's control channel, driven by its middle page. */
export const SHELL_CONTROL_KEY = 'sdbx-control'
/** Shell to middle page: what the page posted to a foreign origin, and the arrival of each document. */
export const SHELL_FRAME_MESSAGE = 'sdbx-frame-message'
/** Posted by a shell that could not start to the middle page that frames it. */
export const SHELL_ATTACH_ERROR = 'sdbx-attach-error'
/** Between a shell and its middle page, about the cookie jar. */
export const SHELL_JAR_MESSAGE = {
  /** Shell to middle page before the first navigation; the mode `unreachable` carries a reason. */
  mode: 'sdbx-jar-mode',
  /** Middle page to shell, carrying exactly one port. */
  port: 'sdbx-jar-port',
  /** Shell to middle page, once per shell document: send the port to the opener's jar host. */
  request: 'sdbx-jar-request',
} as const
