/** The app page of `tunnel-browser.ts`: runs the rounds by itself, since a browser that is watched by a test driver copies every byte that it sends. */
import { configure } from '@deputy/client'
import { fetch as tunnelled } from '@deputy/client/cloud'
import { backend } from '@deputy/client/node-backend'
import { runOrder, seconds, withBenchFrame } from './bench-page.ts'
import type { Measure, PageOrder, Subject } from './tunnel-browser-order.ts'

const chunk = 65_536
const text = (words: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(words)
/** Enough under way that the socket never runs dry. */
const aheadMost = 4 * 2 ** 20

async function open(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`)
  socket.binaryType = 'arraybuffer'
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('no relay')))
  })
  return socket
}
async function bareDown({ relay, bytes }: PageOrder): Promise<void> {
  const socket = await open(relay)
  let got = 0
  await new Promise<void>(resolve => {
    socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer>) => {
      got += data.byteLength
      if (got === bytes) resolve()
    })
    socket.send(text(`down ${bytes}\n`))
  })
  socket.close()
}
async function bareUp({ relay, bytes }: PageOrder): Promise<void> {
  const socket = await open(relay)
  const said = new Promise<string>(resolve =>
    socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer>) => resolve(new TextDecoder().decode(data))),
  )
  const piece = new Uint8Array(chunk)
  const turn = new MessageChannel()
  socket.send(text('up\n'))
  for (let sent = 0; sent < bytes; sent += chunk) {
    // What is buffered is told anew only between two tasks.
    while (socket.bufferedAmount > aheadMost)
      await new Promise(resolve => {
        turn.port1.onmessage = resolve
        turn.port2.postMessage(0)
      })
    socket.send(piece)
  }
  // A WebSocket has no half to end: text stands for it.
  socket.send('end')
  if ((await said) !== String(bytes)) throw new Error('bytes were lost')
  socket.close()
}

async function connected(port: number) {
  const socket = await backend().tcpSocket({ remoteAddress: '127.0.0.1', remotePort: port })
  if ('error' in socket) throw new Error(`refused: ${socket.error}`)
  return { writer: socket.dataWritableStream.getWriter(), reader: socket.dataReadableStream.getReader() }
}
async function down({ source, bytes }: PageOrder): Promise<void> {
  const { writer, reader } = await connected(source)
  await writer.write(text(`down ${bytes}\n`))
  let got = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    got += value.byteLength
  }
  if (got !== bytes) throw new Error('bytes were lost')
  await writer.close()
}
async function up({ source, bytes }: PageOrder): Promise<void> {
  const { writer, reader } = await connected(source)
  await writer.write(text('up\n'))
  for (let sent = 0; sent < bytes; sent += chunk) await writer.write(new Uint8Array(chunk))
  const closing = writer.close()
  const { value } = await reader.read()
  if (new TextDecoder().decode(value) !== String(bytes)) throw new Error('bytes were lost')
  await closing
}

type Get = (url: string) => Promise<Response>
// The site forbids keeping it; said here, Chromium would ask leave for every request.
const barely: Get = url => fetch(url)
async function bulk(get: Get, { site, bytes }: PageOrder): Promise<void> {
  const { body } = await get(`${site}/bytes/${bytes}`)
  let got = 0
  for await (const piece of body as ReadableStream<Uint8Array>) got += piece.byteLength
  if (got !== bytes) throw new Error('bytes were lost')
}
let asked = 0
async function small(get: Get, { site, requests }: PageOrder, atOnce: number): Promise<void> {
  let left = requests
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      // Each of an address of its own: gets of one address wait for one another in the browser's cache.
      const { byteLength } = await (await get(`${site}/bytes/1024/${asked++}`)).arrayBuffer()
      if (byteLength !== 1024) throw new Error('bytes were lost')
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}

async function run(order: PageOrder): Promise<Measure[]> {
  const { broker, kept, bytes, requests, rounds } = order
  await withBenchFrame(broker, ask => ask(kept))
  configure({ broker })
  const works: Record<Subject, { count: number; bare(): Promise<void>; deputy(): Promise<void> }> = {
    down: { count: bytes / 1e6, bare: () => bareDown(order), deputy: () => down(order) },
    up: { count: bytes / 1e6, bare: () => bareUp(order), deputy: () => up(order) },
    bulk: { count: bytes / 1e6, bare: () => bulk(barely, order), deputy: () => bulk(tunnelled, order) },
    flight: { count: requests, bare: () => small(barely, order, 64), deputy: () => small(tunnelled, order, 64) },
    six: { count: requests, bare: () => small(barely, order, 6), deputy: () => small(tunnelled, order, 6) },
    single: { count: requests, bare: () => small(barely, order, 1), deputy: () => small(tunnelled, order, 1) },
  }
  const measures: Measure[] = []
  for (let round = 0; round < rounds; round += 1)
    for (const subject of order.only) {
      const { count, bare, deputy } = works[subject]
      measures.push({ subject, count, bare: await seconds(bare), deputy: await seconds(deputy) })
    }
  return measures
}

await runOrder(run)
