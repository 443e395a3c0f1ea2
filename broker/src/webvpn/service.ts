import type { Served } from '@deputy/contract/shape'
import type { webvpn } from '@deputy/contract/webvpn'
import type { TunnelLink } from '../tunnel/link.ts'
import { noting } from '../tunnel/refused.ts'
import type { Allowance } from './allowance.ts'
import { listenTcp } from './listener.ts'
import { connectTcp } from './tcp.ts'
import { bindUdp } from './udp.ts'

/** What `webvpn` stands on. */
export interface WebvpnNeeds {
  readonly link: TunnelLink
  readonly allowance: Allowance
  /** Called when the quota refused something. */
  readonly spent: () => void
}

/** `webvpn` for one app. */
export const webvpnService = ({ link, allowance, spent }: WebvpnNeeds): Served<typeof webvpn> => ({
  tcpSocket: async options => {
    const allowed = await allowance.ask('net.tcp', options.remoteAddress)
    return 'error' in allowed ? allowed : noting(await connectTcp(link, allowed, options), spent)
  },
  tcpSocketListener: async options => {
    const allowed = await allowance.ask('net.listen', options.localAddress)
    return 'error' in allowed ? allowed : noting(await listenTcp(link, allowed, options), spent)
  },
  udpSocket: async options => {
    const allowed = await allowance.ask('net.udp', options.address)
    return 'error' in allowed ? allowed : noting(await bindUdp(link, allowed, options), spent)
  },
})
