import { ChannelError, frameLink, workerLink, type StandingLink } from '@deputy/channel'
import { account } from '@deputy/contract/account'
import { connect } from '@deputy/contract/connect'
import { accountPin } from '@deputy/contract/fs'
import { overlay } from '@deputy/contract/overlay'
import type { Members, Remote } from '@deputy/contract/shape'
import { shell } from '@deputy/contract/shell'
import { storage } from '@deputy/contract/storage'
import { useBrokerOrigin } from './configure.ts'
import { mountFrame, type MountedFrame } from './mount.ts'

/** What is asked of the broker; parts of the library that not every page pays for add theirs before the link is made. */
export const wants = { account, connect, shell, overlay, storage, cloud: { fs: { accountPin } } }
type Wanted = typeof wants

/** What this realm holds of the broker; a namespace that the broker does not serve is `undefined`. */
export type BrokerTree = Partial<Remote<Wanted>>

/** Bytes of a stream that may wait unread: objects come in chunks of 1 MiB, and a smaller window would stop the broker after each. */
const WINDOW = 4 * 2 ** 20

/** Milliseconds a call waits for a broker to be there at all. */
export const PATIENCE = 20_000

// A worker hears of its page's broker by a message, which is lost unless somebody listens while the worker's script first runs.
let link: StandingLink<Wanted> | undefined = isDedicatedWorker() ? workerLink({ wants }) : undefined

/** The broker of this realm; the first call in a page makes its frame. @throws {ChannelError} `unavailable` when none can be reached. */
export async function broker(): Promise<BrokerTree> {
  return brokerLink().within(PATIENCE)
}

/** A namespace of the broker. @throws {ChannelError} `unavailable`, naming it, where the broker is too old to serve it (VER-2). */
export async function served<N extends keyof BrokerTree>(name: N): Promise<NonNullable<BrokerTree[N]>> {
  const namespace = (await broker())[name]
  if (namespace === undefined) throw new ChannelError('unavailable', `deputy: this broker does not serve ${name}`)
  return namespace
}

/** The link to the broker of this realm. @throws {ChannelError} where there is neither a page nor a worker. */
export function brokerLink(): StandingLink<Wanted> {
  if (link !== undefined) return link
  if (typeof document === 'undefined') throw new ChannelError('unavailable', 'deputy: only a page or a dedicated worker of one reaches a broker')
  link = pageLink(useBrokerOrigin(), wants)
  return link
}

/** A link of its own to the frame of this page. */
export function pageLink<W extends Members>(origin: string, wanted: W): StandingLink<W> {
  let mounted: MountedFrame | undefined
  const standing = frameLink({
    origin,
    want: 'broker',
    wants: wanted,
    limits: { window: WINDOW },
    mount: dead => {
      mounted = mountFrame(origin, dead)
      return mounted.frame
    },
  })
  standing.onLink(made => {
    const host = mounted?.host
    if (host === undefined) return
    made.remote
      .then(
        tree => (tree as BrokerTree).overlay?.setHost(state => host.push(state)),
        () => undefined,
      )
      .catch(() => undefined)
    void made.closed.then(() => host.clear())
  })
  return standing
}

/** Whether this is a worker, whose page relays its one link. */
export function isDedicatedWorker(): boolean {
  return typeof (globalThis as { DedicatedWorkerGlobalScope?: unknown }).DedicatedWorkerGlobalScope === 'function'
}

/** Whether the link was made, so that what it wants stands. */
export const isLinked = (): boolean => link !== undefined
