import type * as keys from './keys.ts'
import type { LibraryFunction } from './library.ts'
import type * as limits from './limits.ts'
import type { roomEvents } from './room-events.ts'

/** What each event of a room tells. */
export const eventMeanings: Readonly<Record<keyof typeof roomEvents, string>> = {
  message: 'A message; replayed is true when it is of a backlog page and false for every live one.',
  edited: "A stored message's text was replaced.",
  deleted: 'Stored messages were dropped by a member, or all of them by the account in its settings.',
  joined: 'A member joined.',
  left: 'A member left, was removed or was blocked.',
  permissions: 'The permissions or the message size of a member changed.',
  defaults: 'The defaults of the room changed.',
  claim: 'The room was claimed, released or dissolved, or its mailbox turned off or on.',
}

/** What each limit bounds. */
export const limitMeanings: Readonly<Record<keyof typeof limits, string>> = {
  ROOM_TEMPORARY_MS: 'How long a temporary claim may last; the default is what true means.',
  ROOM_DESCRIPTION_LENGTH: 'Characters of a room description after trimming.',
  ROOM_MAILBOX_CAP_BYTES: 'What a mailbox holds unless the account set another size.',
  PACKAGE_SEARCH_SIZE: 'Results of a package search; a number outside is brought inside.',
  KEY_LENGTH: 'A key of an object or a room, in base64url without padding.',
  OBJECT_RECORD: 'Plaintext bytes of a sealed record, and what each costs more.',
  OBJECT_LIST_LIMIT: 'Objects on a page of a listing; a number outside is refused.',
  GOTO_TIMEOUT_MS: 'Deadline of a goto that names none.',
  COOKIE_CLEAR_WAIT_MS: 'Wait of a cookie removal for live realms, at most.',
  WINDOW_HELLO_TIMEOUT_MS: "Wait of an app for a window's first answer.",
  WINDOW_HELLO_INTERVAL_MS: 'Pause between two hellos.',
  WINDOW_JAR_PORT_TIMEOUT_MS: "The shell's wait for its jar port.",
  WINDOW_PARTITION_TOKEN_TIMEOUT_MS: 'Wait for the partition token.',
  WINDOW_JAR_MODE_TIMEOUT_MS: "A window's wait for the jar mode, which covers its jar port, the partition token and a controller boot.",
  WINDOW_HANDSHAKE_TIMEOUT_MS: 'The whole handshake of a window: hello, jar mode, and 15,000 ms for pages to load.',
}

/** Who says what with each channel key and message name. */
export const keyMeanings: Readonly<Record<keyof typeof keys, string | Readonly<Record<string, string>>>> = {
  ATTACH_FRAME_KEY: 'Channel key of an inline attachment, exposed to the library at /attach-frame.',
  ATTACH_WINDOW_KEY: 'Channel key of a window attachment, exposed to its opener at /attach-window.',
  ATTACH_FRAME_EVENT_KEY: 'Event key of attachments made through the web extension.',
  ATTACH_WINDOW_MESSAGE: {
    hello: 'App to window, repeated until the channel connects.',
    detach: 'App to window when the app ends the attachment, with unanswered: true when the window no longer answered.',
    gone: 'Window to app: it no longer answers.',
    refused: 'Window to app with a reason: it loaded nothing and exposes nothing.',
  },
  FRAME_MESSAGE: 'Middle page to app, for the listeners of a Frame; ports as transfer list.',
  JAR_ANCHOR_MESSAGE: {
    hello: 'Window to each frame of its opener: is the anchor for this attachment here?',
    host: 'Jar host to anchor: the answer, the only one a port is relayed to.',
    port: 'Window to anchor, and anchor to jar host, carrying exactly one port.',
    ready: 'Anchor to the window it accepted.',
    who: 'Anchor to jar host after every load of the host frame: are you the jar host?',
  },
  SHELL_CONTROL_KEY: "Channel key of the shell's control channel, driven by its middle page.",
  SHELL_FRAME_MESSAGE: 'Shell to middle page: what the page posted to a foreign origin, and the arrival of each document.',
  SHELL_ATTACH_ERROR: 'Shell to middle page: it could not start.',
  SHELL_JAR_MESSAGE: {
    mode: 'Shell to middle page before the first navigation; the mode unreachable carries a reason.',
    port: 'Middle page to shell, carrying exactly one port.',
    request: "Shell to middle page, once per shell document: send the port to the opener's jar host.",
  },
}

/** Arguments, answer and purpose of each function of the library. */
export const functionMeanings: Readonly<Record<LibraryFunction, readonly [args: string, answer: string, does: string]>> = {
  attachFrame: ['options: AttachFrameOptions', 'Frame', 'Attaches an external page to an iframe.'],
  connect: ['none', 'boolean', 'Asks the person to connect the app to their account.'],
  connectButtonUrl: ['origin?: string', 'string', 'Address of a page that holds a connect button.'],
  fetch: ['input: URL or RequestInfo, init?: FetchInit', 'Response', 'Fetches from other sites as far as the person allows.'],
  promptInstall: ['reason?: string', 'boolean', 'Offers the extension or the desktop agent.'],
  promptRelay: ['none', 'string or null', 'Lets the person pick the tunnel node.'],
  relayWorker: ['worker: Worker, options?: { origin?: string; signal?: AbortSignal }', 'nothing', 'Gives a Worker the broker through its page.'],
  'cookies.get': ['details: CookieDetails', 'SiteCookie or null', 'Reads a cookie of a site.'],
  'permissions.request': ['requests: list of PermissionRequest', 'list of PermissionGrant', 'Asks for permissions.'],
  setRequestHeaderRule: ['rule: RequestHeaderRule', '{ ruleId: number }', 'Sets a rule that rewrites request headers.'],
  removeRequestHeaderRule: ['ruleId: number', 'nothing', 'Removes such a rule.'],
  createFrame: ['backend: FrameBackend', 'Frame', 'Makes a Frame of an executor, a gate, goto and url.'],
  createVideoElementHandle: ['element: HTMLVideoElement', 'RemoteVideoElement', 'Makes a video element drivable from elsewhere.'],
  box: ['value, context', 'BoxedVideoElement', 'Takes a video element apart for a boundary.'],
  revive: ['value, context', 'RemoteVideoElement', 'Puts it together on the other side.'],
  isType: ['value: any data', 'boolean', 'Recognises a RemoteVideoElement.'],
  setMissingExtensionHandler: ['handler: function or null', 'nothing', 'Says what to do without the extension.'],
  waitForExtensionExposure: ['timeout?: number', 'nothing', 'Waits until the extension is there.'],
  isExtensionExposed: ['none', 'boolean', 'Tells whether the extension is there.'],
  assertAttachableFrameUrl: ['raw: string', 'nothing', 'Throws unless the url can be attached.'],
  assertFetchableUrl: ['raw: string', 'nothing', 'Throws unless the url can be fetched.'],
  assertForgeableHeaders: ['unsafeHeaders?: list of [string, string]', 'nothing', 'Throws unless every header may be forged.'],
  assertOneCookieIdentity: [
    "unsafeHeaders?: list of [string, string], credentials: 'include', 'omit'",
    'nothing',
    'Throws when a request would have two cookie identities.',
  ],
  assertLockdownApplicable: ['options: { src: string; domains: list of string; lockdown: boolean }', 'nothing', 'Throws where lockdown cannot hold.'],
  hasForgedCookie: ['unsafeHeaders?: list of [string, string]', 'boolean', 'Tells whether a cookie header is forged.'],
  isBlockedFetchUrl: ['raw: string', 'boolean', 'Tells whether a url cannot be fetched.'],
  isBlockedFrameUrl: ['raw: string', 'boolean', 'Tells whether a url cannot be attached.'],
  isLocalNetworkUrl: ['raw: string', 'boolean', 'Tells whether a url is of the local network.'],
}
