/** The far side of the channel suite: one member for each thing that may cross, served alike in Node, a frame and a worker's broker. */
import { released, type Link, type Stats } from '@deputy/channel'
import {
  blob,
  boolean,
  buffer,
  bytes,
  byteSink,
  byteSource,
  call,
  callback,
  either,
  handle,
  integer,
  list,
  nothing,
  object,
  opaque,
  optional,
  port,
  promise,
  request,
  response,
  signal,
  stream,
  string,
  url,
  type Served,
} from '@deputy/contract/shape'

const count = object({ n: integer() })
const stats = object({ pending: integer(), serving: integer(), given: integer(), taken: integer(), streams: integer() })

/** What the peer may serve; `absent` members never are. */
export const peer = {
  version: string(),
  echo: call([opaque], opaque),
  add: call([integer(), integer()], integer()),
  subscribe: call([callback([count])], callback([])),
  emit: call([integer()], nothing),
  ask: call([callback([string()], string())], string()),
  listeners: call([], integer()),
  enter: call(
    [string(), optional(object({ signal: optional(signal) }))],
    handle({
      name: string(),
      closed: promise(object({ reason: string() })),
      say: call([string()], string()),
      leave: call([], nothing),
      sealed: call([], nothing),
    }),
    { codes: ['full', 'invalid'] },
  ),
  rooms: call([], integer()),
  later: call([], object({ value: promise(string()), failure: promise(nothing) })),
  settle: call([string()], nothing),
  source: call([integer(), integer()], byteSource),
  produced: call([], integer()),
  cancelled: call([], string()),
  failing: call([], byteSource),
  silent: call([], byteSource),
  hash: call([byteSource], object({ bytes: integer(), sum: integer() })),
  hold: call([byteSource], integer()),
  sink: call([], object({ sink: byteSink, done: promise(object({ bytes: integer(), sum: integer() })) })),
  refusingSink: call([], byteSink),
  items: call([integer()], stream(count)),
  join: call([port], port),
  length: call([buffer()], integer()),
  bytes: call([bytes()], bytes()),
  untilAborted: call([signal], string(), { deadline: Infinity }),
  blob: call([blob], blob),
  request: call([request], object({ url: string(), method: string(), header: string(), body: string() })),
  response: call([integer(), string()], response),
  href: call([url], url),
  mixed: call([either(string(), callback([], string()), object({ ask: callback([], string()) }))], string()),
  many: call([list(callback([], integer()))], list(integer())),
  refuse: call([boolean], string(), { codes: ['denied'] }),
  never: call([], nothing, { deadline: 400 }),
  throw: call([string()], nothing),
  stats: call([], stats),
  links: call([], integer()),
  space: { inner: call([], string()), absent: call([], nothing), empty: { absent: call([], nothing) } },
  absent: call([], nothing),
  nowhere: { member: call([], nothing) },
}

/** Serves the suite on behalf of `link`, which is read when its figures are asked for; `links` counts those of its realm. */
export function servePeer(link: () => Link, links: () => number = () => 1): Partial<Served<typeof peer>> {
  const listeners = new Set<(count: { n: number }) => unknown>()
  const rooms = new Set<string>()
  const settles: ((text: string) => void)[] = []
  let produced = 0
  let cancelled = ''

  const served: Partial<Served<typeof peer>> = {
    version: 'one',
    echo: value => value,
    add: (a, b) => a + b,
    subscribe: listener => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    emit: times => {
      for (let n = 0; n < times; n++) for (const listener of listeners) void listener({ n })
    },
    ask: question => question('why'),
    listeners: () => listeners.size,
    enter: (name, options) => {
      if (name === 'full') return { error: 'full', message: 'The room is full.' }
      rooms.add(name)
      const { promise: closed, resolve } = Promise.withResolvers<{ reason: string }>()
      const end = (reason: string) => {
        rooms.delete(name)
        resolve({ reason })
      }
      options?.signal?.addEventListener('abort', () => end('aborted'))
      return { name, closed, say: (text: string) => `${name}: ${text}`, leave: () => end('left'), [released]: () => end('released') } as never
    },
    rooms: () => rooms.size,
    later: () => {
      const { promise: value, resolve } = Promise.withResolvers<string>()
      const failure = Promise.withResolvers<void>()
      settles.push(text => {
        resolve(text)
        failure.reject(new TypeError(`not ${text}`))
      })
      return { value, failure: failure.promise }
    },
    settle: text => {
      for (const settle of settles.splice(0)) settle(text)
    },
    source: (chunks, size) => {
      produced = 0
      cancelled = ''
      return new ReadableStream<Uint8Array<ArrayBuffer>>(
        {
          pull: controller => {
            if (produced === chunks) return controller.close()
            controller.enqueue(new Uint8Array(size).fill(produced++ % 251))
          },
          cancel: reason => {
            cancelled = reason instanceof Error ? reason.message : String(reason)
          },
        },
        { highWaterMark: 0 },
      )
    },
    produced: () => produced,
    cancelled: () => cancelled,
    failing: () =>
      new ReadableStream<Uint8Array<ArrayBuffer>>({
        pull: controller => controller.error(new RangeError('the disk is full')),
      }),
    silent: () => new ReadableStream<Uint8Array<ArrayBuffer>>(),
    hash: source => sum(source),
    hold: async source => {
      const reader = source.getReader()
      const { value } = await reader.read()
      await reader.cancel(new TypeError('enough'))
      return value?.byteLength ?? 0
    },
    sink: () => {
      const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>()
      return { sink: writable, done: sum(readable) }
    },
    refusingSink: () =>
      new WritableStream<Uint8Array<ArrayBuffer>>({
        write: () => {
          throw new TypeError('this sink takes nothing')
        },
      }),
    items: items => {
      let n = 0
      return new ReadableStream<{ n: number }>({ pull: controller => (n < items ? controller.enqueue({ n: n++ }) : controller.close()) }, { highWaterMark: 0 })
    },
    join: mine => {
      const { port1, port2 } = new MessageChannel()
      mine.onmessage = ({ data }) => port1.postMessage(data)
      port1.onmessage = ({ data }) => mine.postMessage(data)
      return port2
    },
    length: moved => moved.byteLength,
    bytes: data => data.map(byte => byte + 1),
    untilAborted: asked =>
      new Promise(resolve => {
        const done = () => resolve((asked.reason as Error).name)
        if (asked.aborted) done()
        else asked.addEventListener('abort', done)
      }),
    blob: async data => new Blob([await data.text(), '!'], { type: data.type }),
    request: async asked => ({ url: asked.url, method: asked.method, header: asked.headers.get('x-test') ?? '', body: await asked.text() }),
    response: (status, body) => new Response(body === '' ? null : body, { status, headers: { 'x-test': 'yes' } }),
    href: address => new URL('/next', address),
    mixed: async value => (typeof value === 'string' ? value : typeof value === 'function' ? await value() : await value.ask()),
    many: functions => Promise.all(functions.map(one => one())),
    refuse: refused => (refused ? { error: 'denied', message: 'The person said no.' } : 'allowed'),
    never: () => new Promise(() => {}),
    throw: kind => {
      if (kind === 'type') throw new TypeError('a bad argument')
      if (kind === 'dom') throw new DOMException('not now', 'NotAllowedError')
      throw new Error('secret: the key is under the mat')
    },
    stats: (): Stats => link().stats(),
    links,
    space: { inner: () => 'inner', empty: {} } as never,
  }
  return served
}

/** Length of a stream and the sum of its bytes. */
export async function sum(source: ReadableStream<Uint8Array>): Promise<{ bytes: number; sum: number }> {
  const total = { bytes: 0, sum: 0 }
  const reader = source.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return total
    total.bytes += value.byteLength
    for (let at = 0; at < value.byteLength; at += 997) total.sum += value[at] ?? 0
  }
}
