import type { RouteAnswer } from '@deputy/contract/api'
import { beatNode, registerNode } from '@deputy/contract/api-tunnel'
import { TUNNEL_VERSION } from '@deputy/contract/tunnel-wire'
import { placeOf, type Log } from '../operations/log.ts'
import type { Control } from './control.ts'
import type { Outbox } from './outbox.ts'

/** What a node is told at its registration. */
export type Registration = RouteAnswer<typeof registerNode>
/** What a node is told with a beat. */
export type Word = RouteAnswer<typeof beatNode>

/** What a node tells with a beat. */
export interface Pulse {
  readonly load: number
  readonly sessions: number
  readonly sockets: number
  /** The sessions of the API it acts for. */
  readonly holders: readonly string[]
}

/** What the heart of a node stands on. */
export interface HeartNeeds {
  readonly control: Control
  readonly outbox: Outbox
  readonly instance: string
  readonly title: string
  readonly origin: string
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  readonly pulse: () => Pulse
  /** Brings what was metered to the outbox. */
  readonly flush: () => Promise<void>
  readonly registered: (registration: Registration) => void
  readonly heard: (word: Word) => void
  /** Another process has taken the node's name: this one must go. */
  readonly replaced: () => void
}

/** Keeps a node known to the API. */
export interface Heart {
  /** Whether the API has heard of the node lately. */
  readonly beating: boolean
  start(): void
  /** From now on no client is sent here. */
  drain(): Promise<void>
  /** Reports what is left, within `time` ms, and takes leave. */
  stop(time: number): Promise<void>
}

const heldMost = 500
/** Until the API says how often it wants to hear. */
const firstPause = 1000

/** Registers the node and beats until it is stopped; a node the API has forgotten registers again. */
export function openHeart({ control, outbox, instance, title, origin, log, pulse, flush, registered, heard, replaced }: HeartNeeds): Heart {
  let every = firstPause
  let known = false
  let state: 'open' | 'draining' | 'gone' = 'open'
  let lastHeard = Number.NEGATIVE_INFINITY
  let complained = ''
  let from = 0
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const complain = (error: string, message: string): void => {
    if (complained === error) return
    complained = error
    // An API that restarts is nothing unusual; a refusal is the operator's to see to.
    if (error === 'unavailable') log.warn('node-api-unreachable')
    else log.error('node-refused', { error, message })
  }
  const introduce = async (): Promise<boolean> => {
    const said = await control.call(registerNode, { instance, version: TUNNEL_VERSION, title, origin })
    if (said.error !== undefined) {
      complain(said.error, said.message)
      return false
    }
    every = said.answer.every
    registered(said.answer)
    return (known = true)
  }
  /** Some of the sessions, in turn, so that any number of them fits. */
  const some = (holders: readonly string[]): readonly string[] => {
    from = from >= holders.length ? 0 : from
    const held = holders.slice(from, from + heldMost)
    from += heldMost
    return held
  }
  const beat = async (): Promise<boolean> => {
    if (!known && !(await introduce())) return false
    await flush()
    const report = outbox.due()
    const { holders, ...rest } = pulse()
    const said = await control.call(beatNode, { instance, state, ...rest, ...(report === undefined ? {} : { report }), held: some(holders) })
    if (said.error !== undefined) {
      if (said.error === 'conflict') {
        if (!stopped) replaced()
        stopped = true
      } else if (said.error === 'not-found') known = false
      else complain(said.error, said.message)
      return false
    }
    complained = ''
    lastHeard = performance.now()
    if (report !== undefined) outbox.taken()
    // What passed meanwhile is brought to the outbox first, so that it is known what the word leaves out.
    await flush()
    heard(said.answer)
    return true
  }
  let running: Promise<unknown> = Promise.resolve()
  /** One beat at a time. */
  const next = (): Promise<boolean> => {
    const done = running.then(() => beat())
    running = done.catch(() => undefined)
    return done
  }
  const go = (): void => {
    const again = (): void => {
      if (!stopped) timer = setTimeout(go, known && !outbox.behind ? every : Math.min(every, firstPause))
    }
    next().then(again, (error: unknown) => {
      log.error('node-beat-failed', placeOf(error))
      again()
    })
  }
  return {
    get beating() {
      return known && performance.now() - lastHeard < every * 3
    },
    start: go,
    drain: async () => {
      state = 'draining'
      await next()
    },
    stop: async time => {
      stopped = true
      clearTimeout(timer)
      state = 'gone'
      const end = performance.now() + time
      do if (!(await next()) && known) await new Promise(resolve => setTimeout(resolve, 200))
      while (!outbox.empty && performance.now() < end)
    },
  }
}
