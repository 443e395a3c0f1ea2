/**
 * The handshake over windows. The framed broker says `svc-ready` to its parent once its document can listen, or `svc-here`
 * when it is asked by `svc-ping`; neither carries anything. The page answers with one hello to the broker's exact origin,
 * carrying one MessagePort. From then on only the port is used.
 */
import { HELLO, HERE, PING_FRAME, READY, type Hello } from './handshake-words.ts'
import { WIRE } from './wire.ts'

/** Who sent a hello, as the browser says. */
export interface Identity {
  readonly origin: string
  readonly source: Window
}

/** How a broker document receives the page that frames it. */
export interface WelcomeOptions {
  /** Opens a link on the port; undefined refuses, which closes the port. */
  accept(identity: Identity, port: MessagePort, hello: Hello): { close(): void; readonly closed: Promise<unknown> } | undefined
  /** Wire numbers still spoken. */
  readonly wires?: readonly number[]
  /** Links the parent may have at once; further hellos are refused. */
  readonly links?: number
}

/**
 * Serves the parent window: announces the broker, and opens a link for each well-formed hello. Anything else is ignored. All
 * links say goodbye in `pagehide`. Answers the function that stops listening and closes all links.
 */
export function welcomeParent({ accept, wires = [WIRE], links = 64 }: WelcomeOptions): () => void {
  const open = new Set<{ close(): void }>()
  const receive = (event: MessageEvent) => {
    const { origin, source, ports } = event
    // An opaque origin is shared by every sandboxed page, so it identifies nobody.
    if (source !== window.parent || source === window || origin === 'null' || origin === '') return
    const identity = { origin, source: window.parent }
    if (event.data === PING_FRAME) return identity.source.postMessage(HERE, { targetOrigin: origin })
    const hello = readHello(event.data)
    const [port] = ports
    if (hello === undefined || port === undefined) return
    const link = ports.length === 1 && wires.includes(hello.v) && open.size < links ? accept(identity, port, hello) : undefined
    if (link === undefined) {
      for (const refused of ports) refused.close()
      return
    }
    open.add(link)
    void link.closed.then(() => open.delete(link))
  }
  const leave = () => {
    for (const link of open) link.close()
  }
  window.addEventListener('message', receive)
  window.addEventListener('pagehide', leave)
  if (window.parent !== window) window.parent.postMessage(READY, { targetOrigin: '*' })
  return () => {
    window.removeEventListener('message', receive)
    window.removeEventListener('pagehide', leave)
    leave()
  }
}

function readHello(data: unknown): Hello | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const { type, v, want } = data as Record<string, unknown>
  if (type !== HELLO || typeof v !== 'number' || typeof want !== 'string' || want.length > 64) return undefined
  return { v, want }
}
