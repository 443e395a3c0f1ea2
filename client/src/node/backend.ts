import { byteStreams, learn } from '@deputy/channel'
import type { AddressLookupResult, TunnelErrorCode } from '@deputy/contract/cloud'
import { cloud } from '@deputy/contract/cloud'
import { isRefusal } from '@deputy/contract/refusals'
import type { Fail } from '@deputy/contract/shape'
import {
  webvpn,
  type TcpSocketListenerOptions,
  type TcpSocketListenerResult,
  type TcpSocketOptions,
  type TcpSocketResult,
  type UdpSocketOptions,
  type UdpSocketResult,
} from '@deputy/contract/webvpn'
import { further } from '../further.ts'

/** A refusal of the tunnel. */
export type TunnelFail = Fail<TunnelErrorCode>

/** What the modules stand on: the contract's sockets and look-ups. */
export interface Backend {
  tcpSocket(options: TcpSocketOptions): Promise<TcpSocketResult | TunnelFail>
  tcpSocketListener(options: TcpSocketListenerOptions): Promise<TcpSocketListenerResult | TunnelFail>
  udpSocket(options: UdpSocketOptions): Promise<UdpSocketResult | TunnelFail>
  lookup(hostname: string, options: { readonly all: true; readonly family: 0 | 4 | 6 }): Promise<AddressLookupResult[] | TunnelFail>
}

const reach = further({ webvpn, cloud: { dns: cloud.dns } })
const tree: typeof reach = () => {
  learn(byteStreams)
  return reach()
}
const missing: TunnelFail = { error: 'unavailable', message: 'deputy: this broker does not serve sockets' }

const broker: Backend = {
  tcpSocket: async options => (await tree()).webvpn?.tcpSocket(options) ?? missing,
  tcpSocketListener: async options => (await tree()).webvpn?.tcpSocketListener(options) ?? missing,
  udpSocket: async options => (await tree()).webvpn?.udpSocket(options) ?? missing,
  lookup: async (hostname, options) => {
    const found = await ((await tree()).cloud?.dns.lookup(hostname, options) ?? missing)
    return found === undefined ? [] : isRefusal(found) || Array.isArray(found) ? found : [found]
  },
}
let current = broker

/** The backend in use. */
export const backend = (): Backend => current

/** Puts another backend in the broker's place, for everything of this realm; without one the broker's is back. */
export function useBackend(other: Backend = broker): void {
  current = other
}
