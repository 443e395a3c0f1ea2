import type { Served } from '@deputy/contract/shape'
import type { webvpn } from '@deputy/contract/webvpn'
import type { TunnelLink } from '../tunnel/link.ts'
import type { Allowance } from './allowance.ts'
import { listenTcp } from './listener.ts'
import { connectTcp } from './tcp.ts'
import { bindUdp } from './udp.ts'

/** `webvpn` for one app. */
export const webvpnService = ({ link, allowance }: { readonly link: TunnelLink; readonly allowance: Allowance }): Served<typeof webvpn> => ({
  tcpSocket: async options => {
    const allowed = await allowance.ask('net.tcp', options.remoteAddress)
    return 'error' in allowed ? allowed : connectTcp(link, allowed, options)
  },
  tcpSocketListener: async options => {
    const allowed = await allowance.ask('net.listen', options.localAddress)
    return 'error' in allowed ? allowed : listenTcp(link, allowed, options)
  },
  udpSocket: async options => {
    const allowed = await allowance.ask('net.udp', options.address)
    return 'error' in allowed ? allowed : bindUdp(link, allowed, options)
  },
})
