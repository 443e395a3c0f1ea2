import type { Claims, Equal, Fits, Not } from './expect.test-d.ts'
import type { FrameErrorType } from './frame-errors.ts'
import type { FrameMessageRelay, ShellFrameMessage, ShellJarUnreachable } from './frame-messages.ts'
import type { MiddleGotoOptions, ShellGotoOptions } from './frame-shapes.ts'
import type { AttachFrameOptions, Frame, GotoOptions, PermissionGrant, PermissionRequest, ProxyFetchRequest } from './library.ts'
import type { middleControl } from './middle.ts'
import type { PermissionScope } from './permissions.ts'
import type { shellControl } from './render-shell.ts'
import type { Fail, Remote } from './shape.ts'
import type { BoxedVideoElement, RemoteVideoElement, VideoElementState } from './video.ts'
import type { windowMiddleControl } from './window.ts'

type Middle = Remote<typeof middleControl>
type Window = Remote<typeof windowMiddleControl>
type Shell = Remote<typeof shellControl>
type Done = Promise<void | Fail<FrameErrorType>>
type Lacking<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T]

export type ControlClaims = Claims<
  [
    Equal<keyof Middle, 'blank' | 'clearCookies' | 'documentHost' | 'executeLocator' | 'goto' | 'messaging' | 'ready' | 'seed'>,
    Equal<Lacking<Middle>, 'blank' | 'clearCookies' | 'documentHost' | 'messaging' | 'seed'>,
    Equal<Exclude<keyof Window, keyof Middle>, 'flushCookies' | 'ping' | 'requestConsent' | 'sweepStorage'>,
    Equal<Window['ping'], () => Promise<true>>,
    Equal<keyof Shell, 'blank' | 'carry' | 'clearCookies' | 'executeLocator' | 'flushCookies' | 'goto' | 'ready' | 'seed' | 'sweepStorage'>,
    Equal<Lacking<Shell>, 'blank' | 'carry' | 'clearCookies' | 'flushCookies' | 'seed' | 'sweepStorage'>,
    Equal<Middle['blank'], (() => Promise<string>) | undefined>,
    Equal<Middle['documentHost'], (() => Promise<string>) | undefined>,
    Equal<Middle['messaging'], (() => Promise<true>) | undefined>,
    Equal<ReturnType<Middle['goto']>, Done>,
    Equal<MiddleGotoOptions, { domains?: string[]; timeoutMs?: number; waitUntil?: 'load' | 'commit' | 'documentstart' }>,
    Equal<ShellGotoOptions, { domains?: string[]; timeoutMs?: number; waitUntil?: 'load' | 'commit' | 'documentstart'; commitFallback?: boolean }>,
  ]
>

export type MessageClaims = Claims<
  [
    Fits<{ attach: string; kind: 'document'; origin: string; type: 'svc-frame-message' }, FrameMessageRelay>,
    Fits<{ attach: string; data: { a: 1 }; kind: 'message'; origin: string; type: 'svc-frame-message' }, FrameMessageRelay>,
    Not<Fits<{ kind: 'document'; origin: string; type: 'svc-frame-message' }, FrameMessageRelay>>,
    Fits<{ data: 1; kind: 'message'; origin: string; targetOrigin: string; transfer: []; type: 'sdbx-frame-message' }, ShellFrameMessage>,
    Equal<ShellJarUnreachable, 'bad-attach' | 'no-storage' | 'bad-jar' | 'no-parent' | 'no-jar-host' | 'no-token' | 'no-indexeddb' | 'failed'>,
  ]
>

export type LibraryClaims = Claims<
  [
    Fits<{ iframe: HTMLIFrameElement }, AttachFrameOptions<HTMLIFrameElement>>,
    Not<Fits<{ domains: string[] }, AttachFrameOptions<HTMLIFrameElement>>>,
    Equal<Frame<{ locator(): void }>['url'], () => string>,
    Equal<GotoOptions['waitUntil'], 'documentstart' | 'load' | undefined>,
    Fits<
      | 'embed.iframe'
      | 'embed.open'
      | 'network.fetch'
      | 'network.fetchCredentialed'
      | 'network.fetchLocal'
      | 'network.modifyRequestHeaders'
      | 'network.readCookie',
      PermissionScope
    >,
    Not<Fits<'frame.fetchRead', PermissionScope>>,
    Fits<{ key: 'network.fetch' }, PermissionRequest>,
    Equal<PermissionGrant['key'], PermissionScope>,
    Equal<ProxyFetchRequest['credentials'], 'include' | 'omit'>,
    Equal<BoxedVideoElement['type'], 'videoElement'>,
    Equal<BoxedVideoElement['initialState'], VideoElementState>,
    Equal<VideoElementState['error'], { code: number; message: string } | null>,
    Equal<VideoElementState['buffered'], [number, number][]>,
    Fits<keyof VideoElementState, keyof RemoteVideoElement>,
  ]
>
