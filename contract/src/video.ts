import { boolean, call, callback, handle, integer, list, nothing, nullable, number, object, oneOf, opaque, string, tuple, type Received } from './shape.ts'
import { unsubscribe } from './answers.ts'

// A media element without a source has a duration of NaN, a live one of Infinity.
const seconds = /* @__PURE__ */ number({ min: -Infinity, max: Infinity, nan: true })
const text = /* @__PURE__ */ string({ max: 65_536 })

/** Start and end of each range, in seconds. */
export const timeRanges = /* @__PURE__ */ list(/* @__PURE__ */ tuple(seconds, 2))
export type TimeRangesTuple = Received<typeof timeRanges>

/** Snapshot of a video element. */
export const videoElementState = /* @__PURE__ */ object({
  autoplay: boolean,
  buffered: timeRanges,
  currentSrc: text,
  currentTime: seconds,
  disableRemotePlayback: boolean,
  duration: seconds,
  ended: boolean,
  error: /* @__PURE__ */ nullable(/* @__PURE__ */ object({ code: /* @__PURE__ */ integer(), message: text })),
  loop: boolean,
  muted: boolean,
  paused: boolean,
  playbackRate: seconds,
  poster: text,
  preload: text,
  readyState: /* @__PURE__ */ integer({ max: 4 }),
  seekable: timeRanges,
  seeking: boolean,
  src: text,
  volume: seconds,
})
export type VideoElementState = Received<typeof videoElementState>

/** What the far side of a video element can be told. */
export const videoElementController = /* @__PURE__ */ handle({
  exitPictureInPicture: /* @__PURE__ */ call([], nothing),
  load: /* @__PURE__ */ call([], nothing),
  on: /* @__PURE__ */ call([/* @__PURE__ */ callback([/* @__PURE__ */ string({ max: 64 }), videoElementState])], unsubscribe),
  pause: /* @__PURE__ */ call([], nothing),
  play: /* @__PURE__ */ call([], nothing),
  requestPictureInPicture: /* @__PURE__ */ call([], nothing),
  set: /* @__PURE__ */ call([/* @__PURE__ */ string({ max: 64 }), opaque], nothing),
})

/** A video element on its way across a boundary. */
export const boxedVideoElement = /* @__PURE__ */ object({
  controller: videoElementController,
  initialState: videoElementState,
  type: /* @__PURE__ */ oneOf('videoElement'),
})
export type BoxedVideoElement = Received<typeof boxedVideoElement>

/** The part of `TimeRanges` a remote element shows. */
export interface RemoteTimeRanges {
  readonly length: number
  start(index: number): number
  end(index: number): number
}
/** A video element that lives elsewhere: its state mirrored, its calls forwarded, its events dispatched here. */
export interface RemoteVideoElement extends EventTarget {
  autoplay: boolean
  currentTime: number
  disableRemotePlayback: boolean
  loop: boolean
  muted: boolean
  playbackRate: number
  poster: string
  preload: string
  src: string
  volume: number
  readonly HAVE_ENOUGH_DATA: 4
  readonly HAVE_FUTURE_DATA: 3
  readonly buffered: RemoteTimeRanges
  readonly currentSrc: string
  readonly duration: number
  readonly ended: boolean
  readonly error: { readonly code: number; readonly message: string } | null
  readonly paused: boolean
  readonly readyState: number
  readonly seekable: RemoteTimeRanges
  readonly seeking: boolean
  exitPictureInPicture(): Promise<void>
  load(): Promise<void>
  pause(): Promise<void>
  play(): Promise<void>
  requestPictureInPicture(): Promise<void>
}
