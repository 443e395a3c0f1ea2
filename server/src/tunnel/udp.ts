import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { isIP } from 'node:net'
import { bindFrame, connectFrame, optionFrame } from '@deputy/contract/tunnel-wire'
import { parse } from '@deputy/contract/validate'
import { FRAME, fromJson, readDatagram, toJson, writeDatagram, type Stream } from '@deputy/tunnel'
import type { Places } from './places.ts'
import { refusing } from './refusing.ts'
import { resetCode } from './reset-code.ts'
import type { SocketNeeds } from './tcp.ts'

const overhead = 28
const family = (kind: string): 'IPv4' | 'IPv6' => (kind === 'IPv6' || kind === 'udp6' ? 'IPv6' : 'IPv4')

/** Binds a UDP socket for a stream. Datagrams to what the policy forbids are dropped, as a network would drop them. */
export function openUdp(
  stream: Stream,
  payload: Uint8Array<ArrayBuffer>,
  { policy, meter, places }: Omit<SocketNeeds, 'memory'> & { readonly places: Places },
): void {
  const { type, address, port } = parse(bindFrame, fromJson(payload))
  if (meter.spent) return stream.reset({ code: 'EQUOTA' })
  const place = places.bindable(address === '' ? (type === 'udp6' ? '::' : '0.0.0.0') : address, port)
  if ('code' in place) return stream.reset(place)
  if ((isIP(place.address) === 6) !== (type === 'udp6')) return stream.reset({ code: 'EINVAL' })
  const socket: Socket = createSocket({ type, ipv6Only: type === 'udp6' })
  let remote: { readonly address: string; readonly port: number } | undefined
  let over = false
  const close = (): void => {
    if (over) return
    over = true
    socket.close()
  }
  socket.on('error', error => {
    stream.reset({ code: resetCode(error) })
    close()
  })
  socket.on('message', (data: Buffer<ArrayBuffer>, from: RemoteInfo) => {
    // Never blocks: beyond a queue of its own a datagram is lost, as on a network. An account that is held back loses them too.
    if (meter.received(data.byteLength + overhead) > 0) return
    stream.offer(FRAME.datagram, writeDatagram({ address: from.address, port: from.port, data }))
  })

  const connectTo = async (frame: Uint8Array<ArrayBuffer>): Promise<void> => {
    const wanted = parse(connectFrame, fromJson(frame))
    const targets = await policy.targets(wanted.address, type === 'udp6' ? 6 : 4, wanted.port)
    if (over) return
    if ('code' in targets || !policy.mayConnect(wanted.port)) return stream.send(FRAME.connected, toJson({ code: 'code' in targets ? targets.code : 'EACCES' }))
    const target = targets[0]?.address ?? ''
    socket.connect(wanted.port, target, () => {
      remote = { address: target, port: wanted.port }
      const bound = socket.address()
      stream.send(
        FRAME.connected,
        toJson({
          remote: { address: target, port: wanted.port, family: family(type) },
          local: { address: bound.address, port: bound.port, family: family(bound.family) },
        }),
      )
    })
  }
  const settle = (frame: Uint8Array<ArrayBuffer>): void => {
    const option = parse(optionFrame, fromJson(frame))
    if (option.broadcast !== undefined) socket.setBroadcast(option.broadcast)
    if (option.ttl !== undefined) socket.setTTL(option.ttl)
    if (option.multicastTtl !== undefined) socket.setMulticastTTL(option.multicastTtl)
    if (option.multicastLoopback !== undefined) socket.setMulticastLoopback(option.multicastLoopback)
    if (option.recvBufferSize !== undefined) socket.setRecvBufferSize(option.recvBufferSize)
    if (option.sendBufferSize !== undefined) socket.setSendBufferSize(option.sendBufferSize)
  }

  stream.hear({
    end: () => {
      close()
      stream.end()
    },
    reset: close,
    frame: (kind, frame) => {
      if (over) return
      if (kind === FRAME.datagram) {
        const { address: to, port: toPort, data } = readDatagram(frame)
        if (meter.sent(data.byteLength + overhead) > 0) return
        if (remote !== undefined) return socket.send(data)
        if (policy.mayReach(to, toPort) && policy.mayConnect(toPort)) socket.send(data, toPort, to)
        return
      }
      if (kind === FRAME.connect) return void connectTo(frame).catch(refusing(stream))
      if (kind === FRAME.disconnect) {
        if (remote !== undefined) socket.disconnect()
        remote = undefined
        return
      }
      if (kind !== FRAME.option) return stream.reset({ code: 'EINVAL' })
      settle(frame)
    },
  })
  socket.bind({ address: place.address, port, exclusive: true }, () => {
    const bound = socket.address()
    stream.send(FRAME.bound, toJson({ local: { address: bound.address, port: bound.port, family: family(bound.family) } }))
  })
}
