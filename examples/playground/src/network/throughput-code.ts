import * as cloud from '@deputy/client/cloud'
import { connect } from '@deputy/client/net'

export type Way = 'down-url' | 'up-url' | 'down-tcp' | 'up-tcp'
type Count = (bytes: number) => void

const piece = new Uint8Array(64 * 1024)

/** Moves bytes one way until there are no more or `signal` fires, and counts them. */
export function move(way: Way, where: string, count: Count, signal: AbortSignal) {
  if (way === 'down-url') return down(where, count, signal)
  if (way === 'up-url') return up(where, count, signal)
  return overTcp(way === 'up-tcp', where, count, signal)
}

async function down(url: string, count: Count, signal: AbortSignal) {
  const response = await cloud.fetch(url, { signal })
  const reader = response.body?.getReader()
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) return
    count(value.byteLength)
  }
}

async function up(url: string, count: Count, signal: AbortSignal) {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (signal.aborted) return controller.close()
      count(piece.byteLength)
      controller.enqueue(piece.slice())
    },
  })
  await cloud.fetch(url, { method: 'POST', body, signal })
}

function overTcp(isUp: boolean, where: string, count: Count, signal: AbortSignal) {
  const { hostname, port } = new URL(`tcp://${where}`)
  return new Promise<void>((resolve, reject) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), signal })
    const fill = () => {
      do count(piece.byteLength)
      while (socket.write(piece))
    }
    if (isUp) socket.on('connect', fill).on('drain', fill).resume()
    else socket.on('data', (chunk: Uint8Array) => count(chunk.byteLength))
    socket.on('error', reject)
    socket.on('close', () => resolve())
  })
}
