/** Why the channel itself ended a call: no answer in time, peer gone, a limit reached, or a peer that breaks the protocol. */
export type ChannelErrorCode = 'timeout' | 'unavailable' | 'limit' | 'protocol'

/** A call, stream or promise that the channel ended; `code` says why. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError'
  readonly code: ChannelErrorCode
  constructor(code: ChannelErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** An error the peer threw whose class does not exist here; thrown by a serving side, it crosses with its name and code. */
export class RemoteError extends Error {
  readonly code: string | undefined
  constructor(name: string, message: string, code?: string) {
    super(message)
    this.name = name
    this.code = code
  }
}

/** An error as it crosses: name, message, code, whether it is a DOMException. */
export type WireError = readonly [name: string, message: string, code: string | undefined, dom: boolean]

const NATIVE = { TypeError, RangeError } as const
const CHANNEL_CODES: readonly string[] = ['timeout', 'unavailable', 'limit', 'protocol'] satisfies ChannelErrorCode[]
/** Errors whose message was written for the peer; any other could tell it what it must not know. */
const DECLARED: ReadonlySet<string> = new Set([...Object.keys(NATIVE), 'ShapeError', 'ChannelError', 'LocatorDeniedError', 'LocatorUnsupportedError'])
const INTERNAL: WireError = ['Error', 'internal error', undefined, false]
const MESSAGE = 1024

/** Whether the error may cross as it is. */
export const isDeclared = (error: unknown): error is Error =>
  error instanceof RemoteError || error instanceof DOMException || (error instanceof Error && DECLARED.has(error.name))

/** What crosses for an error: name, message and code of a declared one, `internal error` for any other. */
export function encodeError(error: unknown): WireError {
  if (!isDeclared(error)) return INTERNAL
  const dom = error instanceof DOMException
  const code: unknown = dom ? undefined : (error as { code?: unknown }).code
  return [error.name, error.message.slice(0, MESSAGE), typeof code === 'string' ? code.slice(0, 64) : undefined, dom]
}

/** Rebuilds an error from what crossed: the native class where there is one, else `RemoteError`. */
export function decodeError(wire: unknown): Error {
  const [name, text, code, dom] = Array.isArray(wire) ? (wire as unknown[]) : []
  const message = typeof text === 'string' ? text.slice(0, MESSAGE) : 'internal error'
  if (typeof name !== 'string' || !/^[A-Za-z]{1,64}$/.test(name)) return new RemoteError('Error', message)
  if (dom === true) return new DOMException(message, name)
  if (Object.hasOwn(NATIVE, name)) return new NATIVE[name as keyof typeof NATIVE](message)
  if (name === 'ChannelError' && typeof code === 'string' && CHANNEL_CODES.includes(code)) return new ChannelError(code as ChannelErrorCode, message)
  return new RemoteError(name, message, typeof code === 'string' ? code.slice(0, 64) : undefined)
}

/** The error of everything that was open on a link that ended. */
export const unavailable = (): ChannelError => new ChannelError('unavailable', 'the other side is gone')
