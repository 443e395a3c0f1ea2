import { listNodes, openTunnel } from '@deputy/contract/api-tunnel'
import type { FrameType, Stream, StreamEnd } from '@deputy/tunnel'
import { wait } from '../api/api.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { NodeChoice } from './choice.ts'
import { openLine, type Line, type Opened, type Way } from './line.ts'

export type { Opened } from './line.ts'

/** Opens the streams of one app's tunnel. The session to a node is dialled when it is first needed, and again after it was lost. */
export interface TunnelLink {
  /** Opens a stream on the node of the app's session; `first` may write to it or end it at once. @throws {NoTunnel} */
  open(type: FrameType, payload: Uint8Array<ArrayBuffer>, first?: (stream: Stream) => void): Promise<Opened>
  /** Opens a stream on any healthy node, taken in turn (NET-3). @throws {NoTunnel} */
  openInTurn(type: FrameType, payload: Uint8Array<ArrayBuffer>, first?: (stream: Stream) => void): Promise<Opened>
  /** The node of the session, or the one that the person chose while there is none; null where neither is. */
  node(): Promise<string | null>
  /** This node from now on, as long as it is healthy. Streams that are open on another end. */
  choose(node: string): Promise<void>
  /** Ends every stream. */
  drop(): void
}

/** Why there is no tunnel: nobody is connected, or the node is out of reach. */
export class NoTunnel extends Error {
  override readonly name = 'NoTunnel'
  readonly why: 'needs-account' | 'unavailable'
  constructor(why: 'needs-account' | 'unavailable') {
    super(why)
    this.why = why
  }
}

/** What the link stands on. */
export interface TunnelLinkNeeds {
  readonly sessions: Pick<Sessions, 'call' | 'current' | 'onChange'>
  /** The listener an `incoming` frame names. */
  readonly listenerOf: (payload: Uint8Array<ArrayBuffer>) => number | undefined
  /** The person's choice of a node, where it is kept. */
  readonly choice?: NodeChoice
  /** Says when the page goes away, which the node need not wait out. */
  readonly page?: Pick<Window, 'addEventListener'>
}

/** How long a node that could not be reached is left alone. */
const rest = 10_000
/** How long a list of nodes is good for. */
const listed = 5000
/** How long a session for requests in turn waits for another. */
const idle = 30_000
/** How long a stream waits to learn whether a node whose connection was lost can be reached again. */
const doubt = 2000
/** How long a request in turn waits for a node before the next one is tried. */
const patience = 5000

/** The tunnel of one frame. */
export function tunnelLink({ sessions, listenerOf, choice, page }: TunnelLinkNeeds): TunnelLink {
  /** All lines that are not over. */
  const lines = new Set<Line>()
  /** Lines of requests in turn, by node. */
  const others = new Map<string, Line>()
  /** When nodes that could not be reached may be tried again. */
  const resting = new Map<string, number>()
  let main: Line | undefined
  /** The node the session was on last. */
  let last: string | undefined
  let turn = 0
  let nodes: { readonly ids: readonly string[]; readonly until: number } | undefined

  /** Those that wait for the next word of whether a node can be reached. */
  const waiting = new Set<() => void>()

  const rests = (node: string | undefined): boolean => node !== undefined && (resting.get(node) ?? 0) > performance.now()
  const ask = async (account: string, wanted: { node?: string; only?: boolean; avoid?: string[] }): Promise<Way> => {
    const outcome = await sessions.call(openTunnel, wanted, { account })
    if (outcome.kind === 'answer') return { ...outcome.value.node, token: outcome.value.token }
    return outcome.kind === 'unauthorized' ? 'signed-out' : outcome.kind === 'refused' ? 'never' : 'later'
  }
  const begin = (account: string, fixed?: string): Line => {
    const line: Line = openLine({
      account,
      listenerOf,
      way: async back => {
        // A session lives on the node that welcomed it.
        const there = back ?? fixed
        if (there !== undefined) return ask(account, { node: there, only: true })
        const wanted = (await choice?.read(account)) ?? last
        return ask(account, { ...(wanted === undefined ? {} : { node: wanted }), avoid: [...resting.keys()].filter(rests) })
      },
      reached: (node, isReached) => {
        if (isReached) resting.delete(node)
        else resting.set(node, performance.now() + rest)
        for (const go of waiting) go()
        waiting.clear()
        // Nothing was sent: the next node is tried at once.
        if (!isReached && fixed !== undefined && !line.attached && others.get(fixed) === line) {
          others.delete(fixed)
          line.retire(0)
        }
      },
      over: () => {
        lines.delete(line)
        if (main === line) main = undefined
        if (fixed !== undefined && others.get(fixed) === line) others.delete(fixed)
      },
    })
    lines.add(line)
    return line
  }
  const account = async (): Promise<string> => {
    const session = await sessions.current()
    if (session === null) throw new NoTunnel('needs-account')
    return session.account.id
  }
  const current = async (): Promise<Line> => {
    // Its connection has just been lost: whether the node is there is known in a moment, and what is opened must not share its end.
    if (main !== undefined && main.isWelcomed && !main.attached && !rests(main.node))
      await Promise.race([new Promise<void>(resolve => waiting.add(resolve)), wait(doubt)])
    // New streams leave a node that stops, or that cannot be reached; those that are open stay, and may come back with it.
    if (main !== undefined && (main.leaving || (!main.attached && rests(main.node)))) {
      const left = main
      main = undefined
      left.retire(0)
    }
    // Whoever signs out or changes the account drops it: nobody need be asked for every stream.
    if (main !== undefined) return main
    const who = await account()
    return (main ??= begin(who))
  }
  const healthy = async (): Promise<readonly string[]> => {
    if (nodes !== undefined && nodes.until > performance.now()) return nodes.ids
    const outcome = await sessions.call(listNodes, {})
    // In an order that stays, so that the turns do.
    const ids = outcome.kind === 'answer' ? outcome.value.nodes.map(({ id }) => id).toSorted() : []
    nodes = { ids, until: performance.now() + listed }
    return ids
  }
  /** A line to the node that is ready for a stream; undefined when the node is not. */
  const ready = async (node: string): Promise<Line | undefined> => {
    let line = main?.node === node && main.attached && !main.leaving ? main : others.get(node)
    if (line?.leaving === true) {
      others.delete(node)
      line.retire(0)
      line = undefined
    }
    if (line === undefined) {
      line = begin(await account(), node)
      others.set(node, line)
    }
    try {
      await Promise.race([line.welcomed, wait(patience)])
    } catch {
      return undefined
    }
    return line.attached && !line.leaving ? line : undefined
  }
  const drop = (): void => {
    for (const line of [...lines]) line.close()
  }
  const open: TunnelLink['open'] = async (type, payload, first) => {
    const line = await current()
    try {
      last = await line.welcomed
    } catch (why) {
      throw new NoTunnel((why as StreamEnd).code === 'EACCES' ? 'needs-account' : 'unavailable')
    }
    return line.open(type, payload, first)
  }
  sessions.onChange(({ switched }) => {
    if (!switched) return
    last = undefined
    nodes = undefined
    drop()
  })
  page?.addEventListener('pagehide', drop)

  return {
    open,
    openInTurn: async (type, payload, begin) => {
      const ids = await healthy()
      const first = turn++
      for (let step = 0; step < ids.length && ids.length > 1; step += 1) {
        const node = ids[(first + step) % ids.length] ?? ''
        const line = rests(node) ? undefined : await ready(node)
        if (line === undefined) continue
        const opened = line.open(type, payload, begin)
        if (line !== main) line.retire(idle)
        return opened
      }
      return open(type, payload, begin)
    },
    node: async () => {
      const session = await sessions.current()
      return main?.node ?? (session === null ? null : ((await choice?.read(session.account.id)) ?? null))
    },
    choose: async node => {
      await choice?.write(await account(), node)
      last = node
      if (main?.node !== node) drop()
    },
    drop,
  }
}
