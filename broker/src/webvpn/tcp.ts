import type { Served } from '@deputy/contract/shape'
import { openedFrame, openFrame, type Endpoint } from '@deputy/contract/tunnel-wire'
import { parse } from '@deputy/contract/validate'
import type { tcpSocketResult, TcpSocketOptions } from '@deputy/contract/webvpn'
import { FRAME, fromJson, toJson, type Stream } from '@deputy/tunnel'
import { answered } from '../tunnel/answered.ts'
import type { Bytes } from '../tunnel/bytes.ts'
import type { TunnelLink } from '../tunnel/link.ts'
import { refusedEnd, refusedOpening, type TunnelFail } from '../tunnel/refused.ts'
import type { Allowed } from './allowance.ts'

type Members = typeof tcpSocketResult extends { readonly members: infer M } ? M : never
/** A TCP socket as the broker serves it. */
export type TcpSocket = Served<Members>

/** A socket of a connected stream. */
export function tcpSocketOf(
  stream: Stream,
  { readable, writable }: Bytes,
  { local, remote }: { readonly local: Endpoint; readonly remote: Endpoint },
): TcpSocket {
  return {
    dataReadableStream: readable,
    dataWritableStream: writable,
    localAddress: local.address,
    localFamily: local.family,
    localPort: local.port,
    remoteAddress: remote.address,
    remoteFamily: remote.family,
    remotePort: remote.port,
    destroy: () => stream.cut({ code: 'ECANCELED' }),
    destroySoon: async () => {
      stream.end()
      await new Promise<void>(resolve => stream.whenSent(resolve))
      stream.cut({ code: 'ECANCELED' })
    },
    end: async () => {
      stream.end()
      await new Promise<void>(resolve => stream.whenSent(resolve))
    },
    resetAndDestroy: () => stream.cut({ code: 'ECONNRESET' }),
    setOption: option => stream.send(FRAME.option, toJson(option)),
  }
}

/** Connects to a remote port; resolves once it is connected. */
export async function connectTcp(link: TunnelLink, allowed: Allowed, { remoteAddress, remotePort }: TcpSocketOptions): Promise<TcpSocket | TunnelFail> {
  try {
    const { stream } = await link.open(FRAME.open, toJson(parse(openFrame, { host: remoteAddress, port: remotePort })))
    const answer = await answered(stream, FRAME.opened, { tally: allowed.watch(stream) })
    return 'end' in answer ? refusedEnd(answer.end) : tcpSocketOf(stream, answer.bytes, parse(openedFrame, fromJson(answer.payload)))
  } catch (error) {
    return refusedOpening(error)
  }
}
