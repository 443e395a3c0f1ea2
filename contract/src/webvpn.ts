import { tunnelErrorCodes } from './cloud.ts'
import {
  boolean,
  buffer,
  byteSink,
  byteSource,
  call,
  callback,
  handle,
  integer,
  list,
  nothing,
  object,
  oneOf,
  optional,
  port,
  promise,
  stream,
  string,
  type Received,
} from './shape.ts'

export const ipFamily = /* @__PURE__ */ oneOf('IPv4', 'IPv6')
export type IpFamily = Received<typeof ipFamily>

const address = /* @__PURE__ */ string({ max: 253 })
const portNumber = /* @__PURE__ */ integer({ max: 65_535 })
const flag = /* @__PURE__ */ optional(boolean)
const size = /* @__PURE__ */ optional(/* @__PURE__ */ integer())
const codes = { codes: tunnelErrorCodes } as const
const opening = { codes: tunnelErrorCodes, deadline: 180_000 } as const

export const tcpSocketOptions = /* @__PURE__ */ object({ remoteAddress: address, remotePort: portNumber })
export type TcpSocketOptions = Received<typeof tcpSocketOptions>

/** One or more settings of a TCP socket; `keepAliveInitialDelay` in ms. */
export const tcpSocketOption = /* @__PURE__ */ object({ keepAlive: flag, keepAliveInitialDelay: size, noDelay: flag })
export type TcpSocketOption = Received<typeof tcpSocketOption>

/** A connected TCP socket: bytes on streams, endings as calls. `end` closes this half, `resetAndDestroy` sends a reset. */
export const tcpSocketResult = /* @__PURE__ */ handle({
  dataReadableStream: byteSource,
  dataWritableStream: byteSink,
  destroy: /* @__PURE__ */ call([], nothing),
  destroySoon: /* @__PURE__ */ call([], nothing),
  end: /* @__PURE__ */ call([], nothing, { deadline: Infinity }),
  localAddress: address,
  localFamily: ipFamily,
  localPort: portNumber,
  remoteAddress: address,
  remoteFamily: ipFamily,
  remotePort: portNumber,
  resetAndDestroy: /* @__PURE__ */ call([], nothing),
  setOption: /* @__PURE__ */ call([tcpSocketOption], nothing, codes),
})
export type TcpSocketResult = Received<typeof tcpSocketResult>

/** What ended a listener, as it crosses: an `Error`'s message and, where it has one, its code. */
export const closeError = /* @__PURE__ */ object({ code: /* @__PURE__ */ optional(/* @__PURE__ */ string({ max: 64 })), message: /* @__PURE__ */ string() })

export const tcpSocketListenerOptions = /* @__PURE__ */ object({
  localAddress: address,
  localPort: portNumber,
  onClose: /* @__PURE__ */ optional(/* @__PURE__ */ callback([/* @__PURE__ */ optional(closeError)])),
  onConnection: /* @__PURE__ */ callback([tcpSocketResult]),
})
export type TcpSocketListenerOptions = Received<typeof tcpSocketListenerOptions>

export const tcpSocketListenerResult = /* @__PURE__ */ handle({
  close: /* @__PURE__ */ call([], nothing),
  localAddress: address,
  localFamily: ipFamily,
  localPort: portNumber,
})
export type TcpSocketListenerResult = Received<typeof tcpSocketListenerResult>

export const udpSocketOptions = /* @__PURE__ */ object({ address, dataPort: flag, port: portNumber, type: /* @__PURE__ */ oneOf('udp4', 'udp6') })
export type UdpSocketOptions = Received<typeof udpSocketOptions>

/** One or more settings of a UDP socket. */
export const udpSocketOption = /* @__PURE__ */ object({
  broadcast: flag,
  multicastLoopback: flag,
  multicastTtl: size,
  recvBufferSize: size,
  sendBufferSize: size,
  ttl: size,
})
export type UdpSocketOption = Received<typeof udpSocketOption>

const payload = /* @__PURE__ */ buffer({ max: 65_535 })
export const udpDatagram = /* @__PURE__ */ object({ address, data: payload, family: ipFamily, port: portNumber, size: /* @__PURE__ */ integer() })
export type UdpDatagram = Received<typeof udpDatagram>

/** Datagrams on a data port: one message, its buffers moved, acknowledged by `udpAck` with the same number. */
export const udpBatch = /* @__PURE__ */ object({ datagrams: /* @__PURE__ */ list(udpDatagram, { max: 4096 }), seq: /* @__PURE__ */ integer() })
export type UdpBatch = Received<typeof udpBatch>
/** Receiver to sender on a data port: every batch up to this number has arrived. */
export const udpAck = /* @__PURE__ */ object({ ack: /* @__PURE__ */ integer() })
export type UdpAck = Received<typeof udpAck>

export const udpConnection = /* @__PURE__ */ object({ address, family: ipFamily, local: boolean, port: portNumber })

/** A bound UDP socket. With `dataPort` the datagrams cross on a port in acknowledged batches instead of the stream. */
export const udpSocketResult = /* @__PURE__ */ handle({
  close: /* @__PURE__ */ call([], nothing),
  closed: /* @__PURE__ */ promise(/* @__PURE__ */ object({ reason: /* @__PURE__ */ string({ max: 256 }) })),
  connect: /* @__PURE__ */ call([address, portNumber], udpConnection, codes),
  dataPort: /* @__PURE__ */ optional(port),
  dataPortAcks: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf(true)),
  dataReadableStream: /* @__PURE__ */ stream(udpDatagram),
  disconnect: /* @__PURE__ */ call([], nothing),
  localAddress: address,
  localFamily: ipFamily,
  localPort: portNumber,
  send: /* @__PURE__ */ call([address, payload, portNumber], nothing, codes),
  setOption: /* @__PURE__ */ call([udpSocketOption], nothing, codes),
  socketId: /* @__PURE__ */ integer(),
})
export type UdpSocketResult = Received<typeof udpSocketResult>

/** TCP and UDP sockets and TCP listeners through the tunnel. */
export const webvpn = {
  tcpSocket: /* @__PURE__ */ call([tcpSocketOptions], tcpSocketResult, opening),
  tcpSocketListener: /* @__PURE__ */ call([tcpSocketListenerOptions], tcpSocketListenerResult, opening),
  udpSocket: /* @__PURE__ */ call([udpSocketOptions], udpSocketResult, opening),
}
