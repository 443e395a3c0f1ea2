import type { Members, Served } from '@deputy/contract/shape'
import { realClock, type Clock } from './clock.ts'
import { HELLO, HERE, PING_FRAME, READY, type Hello } from './handshake-words.ts'
import { watch, type HeartbeatOptions } from './heartbeat.ts'
import type { Limits } from './limits.ts'
import { openBareLink, type Link, type LinkEnd } from './link.ts'
import { standLink, type StandingLink } from './standing-link.ts'
import { portTransport } from './transport.ts'
import { WIRE } from './wire.ts'

/** How a page keeps a link to a framed broker. */
export interface FrameLinkOptions<Wanted extends Members, Offered extends Members> {
  /** Puts a broker frame into the page, or answers one that is there; given the frame that died, replaces it. */
  mount(dead: HTMLIFrameElement | undefined): HTMLIFrameElement
  /** The broker's exact origin. */
  readonly origin: string
  /** Entry point of the broker. */
  readonly want: string
  readonly wants: Wanted
  readonly offers?: { readonly members: Offered; readonly value: Partial<Served<Offered>> }
  readonly limits?: Partial<Limits>
  readonly heartbeat?: HeartbeatOptions
  readonly clock?: Clock
  /** Milliseconds a frame has to show a broker before it is replaced. */
  readonly patience?: number
  /** Milliseconds to wait before the frame is replaced for the nth time in a row. */
  readonly retry?: (nth: number) => number
}

/** A link that lived so long was sound: the next loss is answered at once. */
const SOUND = 10_000
/** A broker that said goodbye may be reloading; so long its frame is left in place. */
const GRACE = 1500
const backoff = (nth: number) => (nth === 0 ? 0 : Math.min(30_000, 250 * 2 ** nth))

/**
 * Keeps one live link to the broker frame. A frame that is removed, reloaded, navigated away or crashed ends the link and is
 * greeted again, or replaced through `mount`.
 */
export function frameLink<Wanted extends Members, Offered extends Members = Record<never, never>>(
  options: FrameLinkOptions<Wanted, Offered>,
): StandingLink<Wanted> {
  const { mount, origin, want, wants, offers, limits, clock = realClock, patience = 15_000, retry = backoff } = options
  let frame: HTMLIFrameElement | undefined
  let link: Link<Wanted> | undefined
  let since = 0
  let losses = 0
  /** A document announced itself since the last `load`. */
  let announced = false
  let later = () => {}

  const gone = () => frame === undefined || !frame.isConnected || frame.contentWindow === null
  const ask = () => frame?.contentWindow?.postMessage(PING_FRAME, { targetOrigin: '*' })
  const wait = (milliseconds: number, task: () => void) => {
    later()
    later = clock.after(milliseconds, task)
  }
  const remount = () => wait(retry(losses++), place)

  const place = () => {
    frame?.removeEventListener('load', loaded)
    frame = mount(frame)
    frame.addEventListener('load', loaded)
    announced = false
    wait(patience, remount)
    // A frame that was there before may have announced itself before anybody listened.
    ask()
  }

  const greet = () => {
    const { port1, port2 } = new MessageChannel()
    const hello: Hello & { type: string } = { type: HELLO, v: WIRE, want }
    frame?.contentWindow?.postMessage(hello, { targetOrigin: origin, transfer: [port2] })
    const made = openBareLink({ transport: portTransport(port1), offers, wants, limits, clock })
    link = made
    since = clock.now()
    wait(patience, () => made.end('timeout'))
    const welcomed = () => {
      if (link === made) later()
    }
    made.remote.then(welcomed, () => {})
    void made.closed.then(end => lost(made, end))
    const busy = () => made.busy() || standing.subscribed()
    const heart = { busy, gone, closed: made.closed, heard: () => made.heard(), ping: () => made.ping(), end: (reason: 'gone' | 'timeout') => made.end(reason) }
    watch(heart, { clock, ...options.heartbeat })
    standing.attach(made)
  }

  const lost = (made: Link<Wanted>, { reason }: LinkEnd) => {
    if (link !== made) return
    link = undefined
    if (clock.now() - since > SOUND) losses = 0
    if (gone() || reason === 'timeout' || reason === 'protocol') remount()
    else wait(GRACE, remount)
  }

  const receive = (event: MessageEvent) => {
    if (event.source === null || event.source !== frame?.contentWindow || event.origin !== origin) return
    if (event.data === READY) {
      announced = true
      // A new document in the same frame: the old one is dead whether or not it said goodbye.
      const old = link
      link = undefined
      old?.end('gone')
      greet()
    } else if (event.data === HERE && link === undefined) greet()
  }

  const loaded = () => {
    if (announced) {
      announced = false
      return
    }
    link?.end('gone')
    ask()
    wait(patience, remount)
  }

  // A page kept for going back keeps its frame, whose goodbye would be read only after the first calls of the page that is back.
  const hidden = (event: PageTransitionEvent) => {
    if (event.persisted) link?.end('gone')
  }
  // So does one whose device is online again, since its frame may show that nobody was reached.
  const shown = (event: Event) => {
    if ((event as Partial<PageTransitionEvent>).persisted === false || link !== undefined) return
    wait(GRACE, place)
    ask()
  }

  const standing = standLink(
    wants,
    () => {
      later()
      removeEventListener('message', receive)
      removeEventListener('pagehide', hidden)
      removeEventListener('pageshow', shown)
      removeEventListener('online', shown)
      frame?.removeEventListener('load', loaded)
      link = undefined
    },
    clock,
    gone,
  )
  addEventListener('message', receive)
  addEventListener('pagehide', hidden)
  addEventListener('pageshow', shown)
  addEventListener('online', shown)
  place()
  return standing
}
