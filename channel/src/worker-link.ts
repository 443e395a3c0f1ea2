import type { Members, Served } from '@deputy/contract/shape'
import type { Clock } from './clock.ts'
import type { Limits } from './limits.ts'
import { openBareLink } from './link.ts'
import { forkLink, type Forkable } from './marshal/fork.ts'
import { standLink, type StandingLink } from './standing-link.ts'
import { portTransport } from './transport.ts'

/** The one message a worker gets carries this key; the worker's own messages are never looked into beyond it. */
const RELAY = 'svc-relay'

interface Relay {
  readonly port: MessagePort
  /** Name of the lock the worker holds while it lives. */
  readonly lock: string
  /** Where the worker says that it holds the lock. */
  readonly held: MessagePort
}

/** The link of the page, as far as a relay needs it; every `StandingLink` is one. */
export interface Relayable {
  within(milliseconds: number): Promise<unknown>
  onLink(listener: (link: Forkable) => void): () => void
}

/** How a worker is given the broker of its page. */
export interface RelayOptions {
  /** Ends the relay, and with it the worker's link. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds to wait for the page's own link. */
  readonly wait?: number
}

/**
 * Gives a dedicated worker a link of its own to the peer of the page's link, under the page's identity, and another one
 * whenever the page's link is made anew. The worker's death ends it where Web Locks exist. Resolves once the first port is
 * on its way; rejects `unavailable` when the page has no peer in time.
 */
export async function relayToWorker(through: Relayable, worker: Worker, { signal, wait = 30_000 }: RelayOptions = {}): Promise<void> {
  signal?.throwIfAborted()
  await through.within(wait)
  const lock = `svc-relay-${crypto.randomUUID()}`
  let end: (() => Promise<unknown>) | undefined
  let stopped = false
  const stop = () => {
    stopped = true
    forget()
    end?.().catch(ignore)
  }
  const relay = async (link: Forkable) => {
    const fork = await forkLink(link)
    if (stopped) return void fork.end()
    end = fork.end
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      // Granted when the worker, which holds it now, is gone.
      navigator.locks.request(lock, stop).catch(ignore)
    }
    const message: Relay = { port: fork.port, lock, held: port2 }
    worker.postMessage({ [RELAY]: message }, [fork.port, port2])
  }
  const first = Promise.withResolvers<void>()
  const forget = through.onLink(link => void relay(link).then(first.resolve, first.reject))
  signal?.addEventListener('abort', stop, { once: true })
  await first.promise
}

/** How a worker uses what its page relays. */
export interface WorkerLinkOptions<Wanted extends Members, Offered extends Members> {
  readonly wants: Wanted
  readonly offers?: { readonly members: Offered; readonly value: Partial<Served<Offered>> }
  readonly limits?: Partial<Limits>
  readonly clock?: Clock
}

/**
 * In a dedicated worker: the link the page relays, standing over its renewals. Call it while the worker's script first runs,
 * so that it hears the page before the worker's own listeners do.
 */
export function workerLink<Wanted extends Members, Offered extends Members = Record<never, never>>(
  options: WorkerLinkOptions<Wanted, Offered>,
): StandingLink<Wanted> {
  const { wants, offers, limits, clock } = options
  const receive = (event: MessageEvent<unknown>) => {
    const relay = readRelay(event.data)
    if (relay === undefined) return
    event.stopImmediatePropagation()
    const attach = () => standing.attach(openBareLink({ transport: portTransport(relay.port), offers, wants, limits, clock }))
    // The link opens once the page can see the worker's death.
    hold(relay).then(attach, attach)
  }
  const standing = standLink(wants, () => globalThis.removeEventListener('message', receive), clock)
  globalThis.addEventListener('message', receive)
  return standing
}

/** Holds the page's lock for as long as the worker lives and says so once; resolves when it is held, or where there are no locks. */
async function hold({ lock, held }: Relay): Promise<void> {
  const locks = (navigator as { locks?: LockManager }).locks
  if (locks === undefined || holding.has(lock)) return held.close()
  holding.add(lock)
  await new Promise<void>((resolve, reject) => {
    const forever = () =>
      new Promise<never>(() => {
        held.postMessage(true)
        resolve()
      })
    locks.request(lock, forever).catch(reject)
  })
}

const holding = new Set<string>()

function readRelay(data: unknown): Relay | undefined {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, RELAY)) return undefined
  return (data as Record<typeof RELAY, Relay>)[RELAY]
}

const ignore = () => {}
