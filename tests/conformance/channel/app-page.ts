/** The page of the suite: holds a standing link to a cross-site frame and lets tests run cases and lose the frame. */
import { fetchValues, frameLink, learn, relayToWorker } from '@deputy/channel'
import { rejection, until } from './check.ts'
import { peer } from './peer.ts'
import { runCases, type Result } from './run-cases.ts'

learn(fetchValues)
const origin = new URLSearchParams(location.search).get('broker') ?? ''
let frame: HTMLIFrameElement
let mounts = 0
const link = frameLink({
  origin,
  want: 'suite',
  wants: peer,
  heartbeat: { every: 100, patience: 1000 },
  mount: dead => {
    dead?.remove()
    mounts++
    frame = document.createElement('iframe')
    frame.src = `${origin}/`
    document.body.append(frame)
    return frame
  },
})

const heard: number[] = []
let off: () => Promise<void>
let ends: Promise<string[]>

const suite = {
  runFrame: (): Promise<Result[]> => runCases(link),

  /** Runs the cases in a worker; also answers how many messages its own listener saw, which must be the one sent to it. */
  runWorker: async (): Promise<{ results: Result[]; own: number }> => {
    const worker = new Worker('/worker.js', { type: 'module' })
    await relayToWorker(link, worker)
    const answer = new Promise<{ results: Result[]; own: number }>(resolve => {
      worker.onmessage = ({ data }) => resolve(data as { results: Result[]; own: number })
    })
    worker.postMessage('run')
    return answer.finally(() => worker.terminate())
  },

  /** Relays to a worker and lets it die, or ends the relay; answers how many links the frame had before and after. */
  loseWorker: async (how: 'terminate' | 'signal'): Promise<number[]> => {
    const remote = await link.remote
    const controller = new AbortController()
    const worker = new Worker('/worker.js', { type: 'module' })
    await relayToWorker(link, worker, { signal: controller.signal })
    worker.postMessage('hold')
    // Once the worker answers, it has heard of its broker and holds its lock.
    await new Promise(resolve => {
      worker.onmessage = resolve
    })
    const before = await remote.links()
    if (how === 'terminate') worker.terminate()
    else controller.abort()
    await until(async () => (await remote.links()) < before, 'the link of the worker ends')
    worker.terminate()
    return [before, await remote.links()]
  },

  /** Opens one of everything that could stay pending. */
  open: async (): Promise<void> => {
    const remote = await link.remote
    off = await remote.subscribe(({ n }) => void heard.push(n))
    const room = await remote.enter('blue')
    if ('error' in room) throw new Error(room.message)
    const later = await remote.later()
    const silent = (await remote.silent()).getReader()
    const { sink } = await remote.sink()
    const writer = sink.getWriter()
    const source = Promise.withResolvers<void>()
    const hashed = remote.hash(new ReadableStream({ cancel: () => source.resolve() }))
    const open = [remote.untilAborted(new AbortController().signal), room.closed, later.value, silent.read(), writer.closed, hashed]
    ends = Promise.all([...open.map(async one => codeOf(await rejection(one))), source.promise.then(() => 'cancelled')])
  },

  /** What became of all that was open. */
  ended: (): Promise<string[]> => ends,

  /** Whether the subscription stands on the new link and can still be ended; how often a frame was mounted. */
  after: async (): Promise<{ heard: number[]; listeners: number[]; mounts: number }> => {
    const remote = await link.within(10_000)
    heard.length = 0
    const before = await remote.listeners()
    await remote.emit(2)
    await off()
    await remote.emit(2)
    return { heard, listeners: [before, await remote.listeners()], mounts }
  },

  remove: () => frame.remove(),
  reload: () => {
    frame.src = `${origin}/?again`
  },
  leave: () => {
    frame.src = 'about:blank'
  },
  /** A call made while there is no link. */
  callNow: async (): Promise<number> => (await link.remote).add(20, 22),
  /** Subscribes and unsubscribes so many times. */
  cycle: async (times: number): Promise<void> => {
    const remote = await link.remote
    for (let done = 0; done < times; done += 50) {
      const offs = await Promise.all(Array.from({ length: 50 }, () => remote.subscribe(() => {})))
      await Promise.all(offs.map(end => end()))
    }
  },
  stats: async () => [link.current()?.stats(), await (await link.remote).stats()],
}

const codeOf = (error: Error & { code?: unknown }): string => (typeof error.code === 'string' ? error.code : `${error.name}: ${error.message}`)

/** What tests drive by name. */
export type Suite = typeof suite
Object.assign(globalThis, { suite })
