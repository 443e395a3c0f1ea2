import { isCall, isShape, type Call, type Members, type Remote } from '@deputy/contract/shape'
import { realClock, type Clock } from './clock.ts'
import { unavailable } from './errors.ts'
import type { Link } from './link.ts'
import { DEADLINE, isSubscription } from './marshal/call.ts'

/**
 * A peer that is reached again when it went away. Calls that were open end `unavailable`; new ones wait for the next link, at
 * most as long as their own deadline; subscriptions are made again on every new link until they are ended.
 */
export interface StandingLink<Wanted extends Members = Members> {
  /** The tree as the first welcome showed it; its members outlive the link they were found on. Rejects `unavailable` when closed before. */
  readonly remote: Promise<Remote<Wanted>>
  /** The tree once a link is live; rejects `unavailable` after so many milliseconds without one. */
  within(milliseconds: number): Promise<Remote<Wanted>>
  /** The live link, if there is one now. */
  current(): Link<Wanted> | undefined
  /** Hears of every link that becomes live, at once of a live one. Answers the function that ends it. */
  onLink(listener: (link: Link<Wanted>) => void): () => void
  /** Ends the link and makes no other. */
  close(): void
}

interface Subscription {
  readonly start: (tree: Tree) => unknown
  off: (() => Promise<unknown>) | undefined
  over: boolean
}

type Tree = Record<string, unknown>
type Remotely = (...args: unknown[]) => Promise<unknown>

/** A standing link without a way to reach its peer: whoever finds a port opens a link and attaches it. */
export interface Standing<Wanted extends Members> extends StandingLink<Wanted> {
  /** Takes over a link; it replaces the live one when the peer has welcomed it. */
  attach(link: Link<Wanted>): void
  /** Whether a subscription stands. */
  subscribed(): boolean
}

/** Makes the part of a standing link that does not depend on how the peer is found. */
export function standLink<Wanted extends Members>(
  wants: Wanted,
  onClose: () => void,
  clock: Clock = realClock,
  gone: () => boolean = () => false,
): Standing<Wanted> {
  let live: { readonly link: Link<Wanted>; readonly tree: Tree } | undefined
  let closed = false
  const links = new Set<Link<Wanted>>()
  const waiting = new Set<{ resolve: (tree: Tree) => void; reject: (error: Error) => void }>()
  const listeners = new Set<(link: Link<Wanted>) => void>()
  const subscriptions = new Set<Subscription>()
  let resolveRemote!: (tree: Remote<Wanted>) => void
  let rejectRemote!: (error: Error) => void
  let built = false
  const remote = new Promise<Remote<Wanted>>((resolve, reject) => {
    resolveRemote = resolve
    rejectRemote = reject
  })
  remote.catch(ignore)

  /** The live link, unless its peer is seen to be gone before anything is sent to it. */
  const reach = () => {
    if (live !== undefined && gone()) {
      const { link } = live
      live = undefined
      link.end('gone')
    }
    return live
  }

  const next = (milliseconds: number): Promise<Tree> =>
    new Promise((resolve, reject) => {
      if (closed) return reject(unavailable())
      const stop = clock.after(milliseconds, () => {
        waiting.delete(waiter)
        reject(unavailable())
      })
      const waiter = {
        resolve: (tree: Tree) => {
          stop()
          resolve(tree)
        },
        reject: (error: Error) => {
          stop()
          reject(error)
        },
      }
      waiting.add(waiter)
    })

  const start = async (subscription: Subscription, tree: Tree): Promise<unknown> => {
    const answer = await subscription.start(tree)
    if (typeof answer !== 'function') return answer
    subscription.off = answer as () => Promise<unknown>
    if (subscription.over) await subscription.off()
    return answer
  }

  const subscribe = async (begin: Subscription['start'], wait: number): Promise<unknown> => {
    const subscription: Subscription = { start: begin, off: undefined, over: false }
    const answer = await start(subscription, reach()?.tree ?? (await next(wait)))
    if (typeof answer !== 'function') return answer
    subscriptions.add(subscription)
    return async () => {
      subscriptions.delete(subscription)
      if (subscription.over) return
      subscription.over = true
      await subscription.off?.()
    }
  }

  const callThrough = (path: readonly string[], member: Call): Remotely => {
    const invoke = (tree: Tree, args: unknown[]): Promise<unknown> => {
      const found = path.reduce<unknown>((at, name) => (at as Tree | undefined)?.[name], tree)
      return typeof found === 'function' ? (found as Remotely)(...args) : Promise.reject(unavailable())
    }
    const wait = Math.min(member.deadline ?? DEADLINE, DEADLINE)
    if (isSubscription(member)) return (...args) => subscribe(tree => invoke(tree, args), wait)
    return (...args) => {
      const tree = reach()?.tree
      return tree === undefined ? next(wait).then(later => invoke(later, args)) : invoke(tree, args)
    }
  }

  const build = (members: Members, tree: Tree, path: readonly string[]): Tree =>
    Object.fromEntries(
      Object.entries(members)
        .filter(([name]) => tree[name] !== undefined)
        .map(([name, member]) => {
          const at = [...path, name]
          if (isCall(member)) return [name, callThrough(at, member)]
          return [name, isShape(member) ? tree[name] : build(member, tree[name] as Tree, at)]
        }),
    )

  const enter = (link: Link<Wanted>, tree: Tree) => {
    if (closed || !links.has(link)) return
    live = { link, tree }
    if (!built) resolveRemote(build(wants, tree, []) as Remote<Wanted>)
    built = true
    for (const subscription of subscriptions) {
      subscription.off = undefined
      // A peer that refuses now may accept on the next link.
      start(subscription, tree).catch(ignore)
    }
    for (const waiter of waiting) waiter.resolve(tree)
    waiting.clear()
    for (const listener of listeners) listener(link)
  }

  return {
    remote,
    within: async milliseconds => {
      if (reach() === undefined) await next(milliseconds)
      return remote
    },
    current: () => live?.link,
    onLink: listener => {
      listeners.add(listener)
      if (live !== undefined) listener(live.link)
      return () => void listeners.delete(listener)
    },
    attach: link => {
      if (closed) return link.close()
      links.add(link)
      void link.closed.then(() => {
        links.delete(link)
        if (live?.link === link) live = undefined
      })
      link.remote.then(tree => enter(link, tree as Tree), ignore)
    },
    subscribed: () => subscriptions.size > 0,
    close: () => {
      if (closed) return
      closed = true
      onClose()
      for (const link of links) link.close()
      for (const waiter of waiting) waiter.reject(unavailable())
      waiting.clear()
      rejectRemote(unavailable())
    },
  }
}

const ignore = () => {}
