import type { Members, Remote, Served } from '@deputy/contract/shape'
import { realClock, type Clock } from './clock.ts'
import { defaultLimits, type Limits } from './limits.ts'
import type { CallCodec } from './marshal/call.ts'
import type { Bound } from './marshal/context.ts'
import { Session } from './session.ts'
import type { Transport } from './transport.ts'

/** Why a link ended: by this side, by the peer's goodbye, peer gone, peer silent, or a peer that broke the protocol. */
export type LinkEndReason = 'closed' | 'bye' | 'gone' | 'timeout' | 'protocol'
/** How a link ended. */
export interface LinkEnd {
  readonly reason: LinkEndReason
}

/** How much is open on a link; all zero when nothing leaks. */
export interface Stats {
  /** Calls of this side that wait for an answer. */
  readonly pending: number
  /** Calls of the peer being served. */
  readonly serving: number
  /** Callbacks, handles, promises and signals given to the peer. */
  readonly given: number
  /** Callbacks, handles, promises and signals of the peer. */
  readonly taken: number
  readonly streams: number
}

/** What a link is opened with. */
export interface LinkOptions<Offered extends Members, Wanted extends Members> {
  readonly transport: Transport
  /** What this side serves; members absent from `value` are not served. */
  readonly offers?: { readonly members: Offered; readonly value: Partial<Served<Offered>> } | undefined
  /** What this side would use of the peer. */
  readonly wants?: Wanted | undefined
  /** Serves one more link for the same peer, on this port; without it the peer cannot fork. */
  readonly fork?: ((port: MessagePort) => { close(): void; readonly closed: Promise<unknown> }) | undefined
  readonly limits?: Partial<Limits> | undefined
  readonly clock?: Clock | undefined
  /** Told of errors that do not cross to the peer; the realm's `reportError` unless said. */
  readonly fault?: ((error: unknown) => void) | undefined
}

/** One live connection; both sides hold the same interface. */
export interface Link<Wanted extends Members = Members> {
  /** The peer's tree with the members it serves. Rejects `unavailable` when the link ends before the peer's welcome. */
  readonly remote: Promise<Remote<Wanted>>
  /** Never rejects. */
  readonly closed: Promise<LinkEnd>
  /** Ends the link, telling the peer; everything open ends `unavailable` on both sides. */
  close(): void
  /** Ends the link because the peer is known to be gone or silent. */
  end(reason: 'gone' | 'timeout'): void
  /** Asks the peer for a sign of life; any message is one. */
  ping(): void
  /** Whether anything arrived since the last time this was asked. */
  heard(): boolean
  stats(): Stats
  /** Whether something is open that a dead peer would leave hanging. */
  busy(): boolean
  /** Calls a member that belongs to no tree. */
  ask(member: string, codec: CallCodec): Promise<unknown>
}

/** What `openLink` adds to the least a link needs. */
export interface Extras {
  readonly weigh: (wire: unknown, limits: Limits) => void
  readonly extend: ((bound: Map<string, Bound>, closed: Promise<unknown>) => void) | undefined
}

const none: Extras = { weigh: () => {}, extend: undefined }

/** Opens a link without what only a side that faces strangers needs: weighing of messages and forking. */
export function openBareLink<Offered extends Members, Wanted extends Members>(options: LinkOptions<Offered, Wanted>, extras: Extras = none): Link<Wanted> {
  const { transport, offers, wants, limits, clock = realClock, fault = report } = options
  const session = new Session({ transport, offers, wants: wants ?? {}, limits: { ...defaultLimits, ...limits }, clock, fault, ...extras })
  session.open()
  return session as unknown as Link<Wanted>
}

/** Makes an error seen as an uncaught one would be, where the realm can. */
const report = (error: unknown): void => (globalThis as { reportError?: (error: unknown) => void }).reportError?.(error)
