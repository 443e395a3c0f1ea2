import { ChannelError } from '@deputy/channel'
import type { Served } from '@deputy/contract/shape'
import { bindFrame, boundFrame, connectedFrame } from '@deputy/contract/tunnel-wire'
import { parse } from '@deputy/contract/validate'
import type { UdpDatagram, udpSocketResult, UdpSocketOptions } from '@deputy/contract/webvpn'
import { FRAME, fromJson, readDatagram, toJson, writeDatagram } from '@deputy/tunnel'
import { answered } from '../tunnel/answered.ts'
import type { TunnelLink } from '../tunnel/link.ts'
import { refused, refusedEnd, refusedOpening, type TunnelFail } from '../tunnel/refused.ts'
import type { Allowed } from './allowance.ts'
import { dataPortOf } from './data-port.ts'

type Members = typeof udpSocketResult extends { readonly members: infer M } ? M : never
/** A UDP socket as the broker serves it. */
export type UdpSocket = Served<Members>

const waitingMost = 1024
let lastSocket = 0

/** Binds a UDP socket on the node. Datagrams nobody takes are dropped, the oldest first. */
export async function bindUdp(
  link: TunnelLink,
  allowed: Allowed,
  { address, port, type, dataPort: byPort = false }: UdpSocketOptions,
): Promise<UdpSocket | TunnelFail> {
  try {
    const { stream } = await link.open(FRAME.bind, toJson(parse(bindFrame, { address, port, type })))
    const closed = Promise.withResolvers<{ reason: string }>()
    const waiting: UdpDatagram[] = []
    let wake: (() => void) | undefined
    let over = false
    const connects: ((payload: Uint8Array<ArrayBuffer> | null) => void)[] = []
    const tally = allowed.watch(stream)
    const portal = byPort ? dataPortOf() : undefined
    const end = (reason: string): void => {
      over = true
      closed.resolve({ reason })
      for (const settle of connects.splice(0)) settle(null)
      wake?.()
      portal?.close()
    }
    const answer = await answered(stream, FRAME.bound, {
      later: {
        frame: (kind, payload) => {
          if (kind === FRAME.connected) return connects.shift()?.(payload)
          if (kind !== FRAME.datagram) return
          const { address: from, port: fromPort, data } = readDatagram(payload)
          tally.received(data.byteLength)
          const datagram: UdpDatagram = {
            address: from,
            family: from.includes(':') ? 'IPv6' : 'IPv4',
            port: fromPort,
            data: new Uint8Array(data).buffer,
            size: data.byteLength,
          }
          if (portal !== undefined) return portal.give(datagram)
          if (waiting.length === waitingMost) waiting.shift()
          waiting.push(datagram)
          wake?.()
        },
        end: () => end('closed'),
        reset: why => end(refusedEnd(why).error),
      },
    })
    if ('end' in answer) {
      portal?.close()
      return refusedEnd(answer.end)
    }
    const { local } = parse(boundFrame, fromJson(answer.payload))
    const datagrams = new ReadableStream<UdpDatagram>(
      {
        pull: async controller => {
          while (waiting.length === 0 && !over) await new Promise<void>(resolve => (wake = resolve))
          const next = waiting.shift()
          if (next === undefined) controller.close()
          else controller.enqueue(next)
        },
        cancel: reason => {
          waiting.length = 0
          // Whoever bound it is gone, and nobody else will close it.
          if (reason instanceof ChannelError) stream.end()
        },
      },
      { highWaterMark: 0 },
    )
    return {
      dataReadableStream: datagrams,
      dataPort: portal?.port,
      dataPortAcks: portal === undefined ? undefined : true,
      localAddress: local.address,
      localFamily: local.family,
      localPort: local.port,
      socketId: ++lastSocket,
      closed: closed.promise,
      send: (to, data, toPort) => {
        if (over) return refused('lost')
        try {
          stream.offer(FRAME.datagram, writeDatagram({ address: to, port: toPort, data: new Uint8Array(data) }))
          tally.sent(data.byteLength)
          return undefined
        } catch {
          return refused('badAddress')
        }
      },
      connect: async (to, toPort) => {
        if (over || stream.ended) return refused('lost')
        const answering = new Promise<Uint8Array<ArrayBuffer> | null>(resolve => connects.push(resolve))
        stream.send(FRAME.connect, toJson({ address: to, port: toPort }))
        const payload = await answering
        if (payload === null) return refused('lost')
        const said = parse(connectedFrame, fromJson(payload))
        if ('code' in said) return refusedEnd(said)
        return { address: said.remote.address, family: said.remote.family, local: false, port: said.remote.port }
      },
      disconnect: () => stream.send(FRAME.disconnect, new Uint8Array()),
      setOption: option => stream.send(FRAME.option, toJson(option)),
      close: () => stream.end(),
    }
  } catch (error) {
    return refusedOpening(error)
  }
}
