import type { Served } from '@deputy/contract/shape'
import type { webvpn } from '@deputy/contract/webvpn'
import type { TunnelLink } from '../tunnel/link.ts'
import { refused } from '../tunnel/refused.ts'
import { listenTcp } from './listener.ts'
import { connectTcp } from './tcp.ts'
import { bindUdp } from './udp.ts'

/** Whether the person lets the app use the network, asked at the first need. */
export type MayUse = (key: 'net.tcp' | 'net.udp' | 'net.listen', host: string) => Promise<boolean>

/** `webvpn` for one app. */
export const webvpnService = ({ link, mayUse }: { readonly link: TunnelLink; readonly mayUse: MayUse }): Served<typeof webvpn> => ({
  tcpSocket: async options => ((await mayUse('net.tcp', options.remoteAddress)) ? connectTcp(link, options) : refused('notAllowed')),
  tcpSocketListener: async options => ((await mayUse('net.listen', options.localAddress)) ? listenTcp(link, options) : refused('notAllowed')),
  udpSocket: async options => ((await mayUse('net.udp', options.address)) ? bindUdp(link, options) : refused('notAllowed')),
})
