import type { Served } from '@deputy/contract/shape'
import { incomingFrame, listenFrame, listeningFrame } from '@deputy/contract/tunnel-wire'
import { parse } from '@deputy/contract/validate'
import type { tcpSocketListenerResult, webvpn } from '@deputy/contract/webvpn'
import { FRAME, fromJson, toJson, type Stream } from '@deputy/tunnel'
import { answered } from '../tunnel/answered.ts'
import { bytesOf } from '../tunnel/bytes.ts'
import type { TunnelLink } from '../tunnel/link.ts'
import { refusedEnd, refusedOpening, type TunnelFail } from '../tunnel/refused.ts'
import type { Allowed } from './allowance.ts'
import { tcpSocketOf, type TcpSocket } from './tcp.ts'

type Members = typeof tcpSocketListenerResult extends { readonly members: infer M } ? M : never
/** A listener as the broker serves it. */
export type TcpListener = Served<Members>
type Options = Parameters<Served<typeof webvpn>['tcpSocketListener']>[0]

/** Listens on the node; each connection is handed over with both of its ends filled in, and none before the listener itself. */
export async function listenTcp(
  link: TunnelLink,
  allowed: Allowed,
  { localAddress, localPort, onConnection, onClose }: Options,
): Promise<TcpListener | TunnelFail> {
  try {
    const { stream, accept } = await link.open(FRAME.listen, toJson(parse(listenFrame, { address: localAddress, port: localPort })))
    allowed.watch(stream)
    let early: (() => void)[] | undefined = []
    const give = async (fresh: Stream, socket: TcpSocket): Promise<void> => {
      try {
        await onConnection(socket)
      } catch {
        // Nobody takes connections any more.
        fresh.cut({ code: 'ECONNRESET' })
        stream.end()
      }
    }
    accept((fresh, payload) => {
      const socket = tcpSocketOf(fresh, bytesOf(fresh, {}, allowed.watch(fresh)), parse(incomingFrame, fromJson(payload)))
      const hand = (): void => void give(fresh, socket)
      if (early === undefined) hand()
      else early.push(hand)
    })
    const closed = (error?: { readonly code: string; readonly message: string }): void => void Promise.resolve(onClose?.(error)).catch(() => undefined)
    const answer = await answered(stream, FRAME.listening, {
      later: {
        reset: why => {
          const { error: code, message } = refusedEnd(why)
          closed({ code, message })
        },
        end: () => {
          stream.end()
          closed()
        },
      },
    })
    if ('end' in answer) return refusedEnd(answer.end)
    // The answer goes out first, in the turn that follows.
    setTimeout(() => {
      const first = early ?? []
      early = undefined
      for (const hand of first) hand()
    })
    const { local } = parse(listeningFrame, fromJson(answer.payload))
    return { localAddress: local.address, localFamily: local.family, localPort: local.port, close: () => stream.end() }
  } catch (error) {
    return refusedOpening(error)
  }
}
