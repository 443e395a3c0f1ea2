import type { Served } from '@deputy/contract/shape'
import { incomingFrame, listenFrame, listeningFrame } from '@deputy/contract/tunnel-wire'
import { parse } from '@deputy/contract/validate'
import type { tcpSocketListenerResult, webvpn } from '@deputy/contract/webvpn'
import { FRAME, fromJson, toJson } from '@deputy/tunnel'
import { answered } from '../tunnel/answered.ts'
import { bytesOf } from '../tunnel/bytes.ts'
import type { TunnelLink } from '../tunnel/link.ts'
import { refusedEnd, refusedOpening, type TunnelFail } from '../tunnel/refused.ts'
import { tcpSocketOf } from './tcp.ts'

type Members = typeof tcpSocketListenerResult extends { readonly members: infer M } ? M : never
/** A listener as the broker serves it. */
export type TcpListener = Served<Members>
type Options = Parameters<Served<typeof webvpn>['tcpSocketListener']>[0]

/** Listens on the node; each connection is handed over with both of its ends filled in. */
export async function listenTcp(link: TunnelLink, { localAddress, localPort, onConnection, onClose }: Options): Promise<TcpListener | TunnelFail> {
  try {
    const { stream } = await link.open(FRAME.listen, toJson(parse(listenFrame, { address: localAddress, port: localPort })))
    let forget = (): void => undefined
    let closing = false
    const answer = await answered(stream, FRAME.listening, undefined, {
      reset: why => {
        forget()
        const { error: code, message } = refusedEnd(why)
        onClose?.({ code, message })
      },
      end: () => {
        forget()
        if (closing) onClose?.()
      },
    })
    if ('end' in answer) return refusedEnd(answer.end)
    forget = link.accept(stream, (fresh, payload) => {
      const bytes = bytesOf(fresh)
      onConnection(tcpSocketOf(fresh, bytes, parse(incomingFrame, fromJson(payload))))
    })
    const { local } = parse(listeningFrame, fromJson(answer.payload))
    return {
      localAddress: local.address,
      localFamily: local.family,
      localPort: local.port,
      close: () => {
        closing = true
        stream.end()
      },
    }
  } catch (error) {
    return refusedOpening(error)
  }
}
