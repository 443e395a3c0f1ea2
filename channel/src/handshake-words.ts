/** Said by a broker document when it begins to listen. */
export const READY = 'svc-ready'
/** Said by a broker document when asked. */
export const HERE = 'svc-here'
/** Asks a frame whether a broker listens there. */
export const PING_FRAME = 'svc-ping'
/** Type of the hello. */
export const HELLO = 'svc-hello'

/** What the page says of itself; nothing in it is an identity. */
export interface Hello {
  /** Wire number of the page's library. */
  readonly v: number
  /** What the page wants of the broker; the broker's own entry points. */
  readonly want: string
}
