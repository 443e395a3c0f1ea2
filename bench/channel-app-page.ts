/** The page of the channel bench: measures the channel and bare ports to the same frame in turns. */
import { byteStreams, frameLink, learn } from '@deputy/channel'
import { bench, type RawRequest } from './channel-contract.ts'

learn(byteStreams)
const origin = new URLSearchParams(location.search).get('broker') ?? ''
const frame = document.createElement('iframe')
frame.allow = 'cross-origin-isolated'
frame.src = `${origin}/`
const link = frameLink({
  origin,
  want: 'bench',
  wants: bench,
  mount: () => {
    document.body.append(frame)
    return frame
  },
})

const ask = (raw: RawRequest | 'echo'): MessagePort => {
  const { port1, port2 } = new MessageChannel()
  frame.contentWindow?.postMessage({ raw }, { targetOrigin: origin, transfer: [port2] })
  return port1
}
const value = { name: 'a small argument', n: 7 }

type Echo = () => Promise<unknown>

async function rawEcho(): Promise<Echo> {
  await link.remote
  const port = ask('echo')
  const waiting = new Map<number, (value: unknown) => void>()
  let last = 0
  port.onmessage = ({ data }) => {
    const { id, value: back } = data as { id: number; value: unknown }
    waiting.get(id)?.(back)
    waiting.delete(id)
  }
  return () =>
    new Promise(resolve => {
      const id = ++last
      waiting.set(id, resolve)
      port.postMessage({ id, method: 'echo', value })
    })
}

const channelEcho = async (): Promise<Echo> => {
  const { echo } = await link.remote
  return () => echo(value)
}
const echoes = { raw: rawEcho(), channel: channelEcho() }
type Way = keyof typeof echoes

const measure = {
  isolated: () => crossOriginIsolated,

  /** Microseconds of each of so many calls, one at a time. */
  oneByOne: async (way: Way, times: number): Promise<number[]> => {
    const echo = await echoes[way]
    const took: number[] = []
    for (let call = 0; call < times; call++) {
      const start = performance.now()
      await echo()
      took.push((performance.now() - start) * 1000)
    }
    return took
  },

  /** Calls a second with 64 in flight. */
  inFlight: async (way: Way, times: number): Promise<number> => {
    const echo = await echoes[way]
    let left = times
    const lane = async () => {
      while (left-- > 0) await echo()
    }
    const start = performance.now()
    await Promise.all(Array.from({ length: 64 }, lane))
    return (times / (performance.now() - start)) * 1000
  },

  /** Megabytes a second of `count` chunks. */
  stream: async (way: Way | 'native', size: number, count: number): Promise<number> => {
    const remote = await link.remote
    const start = performance.now()
    if (way === 'raw') await readRaw({ size, count, native: false })
    else await drain(way === 'channel' ? await remote.source(size, count) : await readNative({ size, count, native: true }))
    return (size * count) / (performance.now() - start) / 1000
  },
}

const readRaw = (request: RawRequest): Promise<void> =>
  new Promise(resolve => {
    const port = ask(request)
    let left = request.count
    port.onmessage = ({ data }) => {
      port.postMessage((data as Uint8Array).byteLength)
      if (--left > 0) return
      port.close()
      resolve()
    }
  })

const readNative = (request: RawRequest): Promise<ReadableStream<Uint8Array>> =>
  new Promise(resolve => {
    const port = ask(request)
    port.onmessage = ({ data }) => resolve(data as ReadableStream<Uint8Array>)
  })

async function drain(stream: ReadableStream<Uint8Array>): Promise<void> {
  const reader = stream.getReader()
  while (!(await reader.read()).done);
}

/** What the bench drives by name. */
export type Measure = typeof measure
Object.assign(globalThis, { measure })
