import { connect, type Socket } from 'node:net'
import { type Endpoint, type openedFrame, openFrame, optionFrame } from '@deputy/contract/tunnel-wire'
import { parse } from '@deputy/contract/validate'
import { FRAME, fromJson, toJson, type Stream } from '@deputy/tunnel'
import type { Meter } from './meter.ts'
import type { Policy } from './policy.ts'
import { letGo, readsInto, type Heard, type ReadMemory } from './reads.ts'
import { resetCode } from './reset-code.ts'

/** What a socket of the node stands on. */
export interface SocketNeeds {
  readonly policy: Policy
  readonly meter: Meter
  readonly memory: ReadMemory
  /** Milliseconds a connection may take to come about, and to be silent. */
  readonly connectTime: number
  readonly idleTime: number
}

/** Both ends of a connected socket. */
export function endsOf(socket: Socket): { local: Endpoint; remote: Endpoint } {
  const { localAddress = '', localPort = 0, localFamily, remoteAddress = '', remotePort = 0, remoteFamily } = socket
  return {
    local: { address: localAddress, port: localPort, family: localFamily === 'IPv6' ? 'IPv6' : 'IPv4' },
    remote: { address: remoteAddress, port: remotePort, family: remoteFamily === 'IPv6' ? 'IPv6' : 'IPv4' },
  }
}

/** Opens a TCP connection for a stream, to a checked address of the host and never to its name. */
export async function openTcp(stream: Stream, payload: Uint8Array<ArrayBuffer>, needs: SocketNeeds): Promise<void> {
  const { host, port } = parse(openFrame, fromJson(payload))
  const { policy, meter, memory, connectTime } = needs
  // What is written before the connection stands waits in the stream's own window.
  const early: Uint8Array<ArrayBuffer>[] = []
  let ended = false
  let gone = false
  stream.hear({ data: bytes => early.push(bytes), end: () => (ended = true), reset: () => (gone = true) })
  if (meter.spent) return stream.reset({ code: 'EQUOTA' })
  if (!policy.mayConnect(port)) return stream.reset({ code: 'EACCES' })
  const targets = await policy.targets(host, 0, port)
  if (gone) return
  if ('code' in targets) return stream.reset({ code: targets.code })

  let heard: Heard = () => true
  const { onread, closed } = readsInto(memory, (bytes, release) => heard(bytes, release))
  const socket = connect({
    onread,
    host: targets[0]?.address ?? '',
    port,
    allowHalfOpen: true,
    noDelay: true,
    autoSelectFamily: targets.length > 1,
    lookup: (_name, options, answer) => {
      if (options.all === true) answer(null, [...targets])
      else answer(null, targets[0]?.address ?? '', targets[0]?.family)
    },
    // A name, so that every checked address is tried.
    ...(targets.length > 1 ? { host } : {}),
  })
  const late = setTimeout(() => socket.destroy(Object.assign(new Error('the remote host did not answer in time'), { code: 'ETIMEDOUT' })), connectTime)
  const failed = (error: Error): void => {
    clearTimeout(late)
    stream.reset({ code: resetCode(error) })
  }
  socket.once('error', failed)
  socket.once('close', closed)
  stream.hear({
    data: bytes => early.push(bytes),
    end: () => (ended = true),
    reset: () => {
      clearTimeout(late)
      socket.destroy()
    },
  })
  socket.once('connect', () => {
    clearTimeout(late)
    socket.off('error', failed)
    const ends = endsOf(socket)
    if (!policy.mayReach(ends.remote.address, ends.remote.port)) {
      socket.destroy()
      return stream.reset({ code: 'EACCES' })
    }
    stream.send(FRAME.opened, toJson(ends satisfies ReturnType<typeof parse<typeof openedFrame>>))
    heard = joinTcp(stream, socket, needs)
    for (const bytes of early) write(stream, socket, meter, bytes)
    if (ended) socket.end()
  })
}

/** Passes bytes on and grants the sender as many more once the socket has taken them, later when the account is held back. */
function write(stream: Stream, socket: Socket, meter: Meter, bytes: Uint8Array<ArrayBuffer>): void {
  const { byteLength } = bytes
  socket.write(bytes, error => {
    if (error !== undefined && error !== null) return
    letGo(bytes)
    const wait = meter.sent(byteLength)
    if (wait > 0) setTimeout(() => stream.consumed(byteLength), wait)
    else stream.consumed(byteLength)
  })
}

/**
 * Joins a stream with a connected socket: bytes, both ends, resets and settings, with no more in memory than a window each way. Answers what takes
 * the bytes the socket reads, and says when it is to read on.
 */
export function joinTcp(stream: Stream, socket: Socket, { meter, idleTime }: Pick<SocketNeeds, 'meter' | 'idleTime'>): Heard {
  let held: NodeJS.Timeout | undefined
  let choked = false
  const resume = (): void => {
    if (held === undefined && !choked) socket.resume()
  }
  socket.setTimeout(idleTime, () => socket.destroy(Object.assign(new Error('idle'), { code: 'ETIMEDOUT' })))
  socket.on('end', () => stream.end())
  socket.on('error', error => stream.reset({ code: resetCode(error) }))
  socket.on('close', () => {
    clearTimeout(held)
    // An end that both sides have said is over by itself; anything else is a connection that went away.
    if (!stream.ended) stream.reset({ code: 'ECONNRESET' })
  })
  stream.hear({
    data: bytes => write(stream, socket, meter, bytes),
    end: () => socket.end(),
    drain: () => {
      choked = false
      resume()
    },
    reset: ({ code }) => {
      if (code === 'ECONNRESET') socket.resetAndDestroy()
      // What was written before an end still goes out.
      else if (socket.writableEnded) socket.destroySoon()
      else socket.destroy()
    },
    frame: (type, payload) => {
      if (type !== FRAME.option) return stream.reset({ code: 'EINVAL' })
      const { noDelay, keepAlive, keepAliveInitialDelay } = parse(optionFrame, fromJson(payload))
      if (noDelay !== undefined) socket.setNoDelay(noDelay)
      if (keepAlive !== undefined) socket.setKeepAlive(keepAlive, keepAliveInitialDelay ?? 0)
    },
  })
  return (bytes, release) => {
    const wait = meter.received(bytes.byteLength)
    choked = !stream.write(bytes, release)
    if (wait > 0)
      held ??= setTimeout(() => {
        held = undefined
        resume()
      }, wait)
    return !choked && wait === 0
  }
}
