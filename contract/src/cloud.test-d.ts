import type { AddressLookupResult, cloud, DnsLookup, ProxyFetchInput, Quota, TunnelErrorCode } from './cloud.ts'
import type { Claims, Equal, Fits } from './expect.test-d.ts'
import type { Fail, Remote, Served } from './shape.ts'
import type { IpFamily, TcpSocketListenerResult, TcpSocketResult, UdpDatagram, UdpSocketResult, webvpn } from './webvpn.ts'

type App = Remote<typeof cloud>
type Sockets = Remote<typeof webvpn>
type Refusal = Fail<TunnelErrorCode>

declare const lookup: DnsLookup
const one = () => lookup('example.org')
const all = () => lookup('example.org', { all: true, family: 4 })

export type CloudClaims = Claims<
  [
    Equal<AddressLookupResult, { address: string; family: 0 | 4 | 6 }>,
    Equal<Awaited<ReturnType<typeof one>>, AddressLookupResult | undefined | Refusal>,
    Equal<Awaited<ReturnType<typeof all>>, AddressLookupResult[] | Refusal>,
    Fits<[string], Parameters<App['dns']['lookup']>>,
    Fits<ProxyFetchInput, Parameters<App['fetch']>[0]>,
    Fits<[URL, { method: 'POST'; spread: true }], Parameters<App['fetch']>>,
    Equal<Awaited<ReturnType<App['fetch']>>, Response | Refusal>,
    Equal<Quota, { bytesPerSecond: number; limitBytes: number; overQuota: boolean; premium: boolean; remaining: number; usedBytes: number }>,
  ]
>

export type SocketClaims = Claims<
  [
    Equal<IpFamily, 'IPv4' | 'IPv6'>,
    Equal<Awaited<ReturnType<Sockets['tcpSocket']>>, TcpSocketResult | Refusal>,
    Equal<TcpSocketResult['dataReadableStream'], ReadableStream<Uint8Array<ArrayBuffer>>>,
    Equal<TcpSocketResult['dataWritableStream'], WritableStream<Uint8Array<ArrayBuffer>>>,
    Equal<TcpSocketResult['end' | 'destroy' | 'destroySoon' | 'resetAndDestroy'], () => Promise<void>>,
    Equal<TcpSocketResult['remoteFamily'], IpFamily>,
    Equal<TcpSocketListenerResult['close'], () => Promise<void>>,
    Fits<
      [{ localAddress: string; localPort: number; onConnection: (connection: TcpSocketResult) => void }],
      Parameters<Served<typeof webvpn>['tcpSocketListener']>
    > extends true
      ? false
      : true,
    Equal<UdpDatagram, { address: string; data: ArrayBuffer; family: IpFamily; port: number; size: number }>,
    Equal<UdpSocketResult['closed'], Promise<{ reason: string }>>,
    Equal<UdpSocketResult['dataPort'], MessagePort | undefined>,
    Equal<UdpSocketResult['dataPortAcks'], true | undefined>,
    Equal<UdpSocketResult['dataReadableStream'], ReadableStream<UdpDatagram>>,
    Equal<Awaited<ReturnType<UdpSocketResult['connect']>>, { address: string; family: IpFamily; local: boolean; port: number } | Refusal>,
    Equal<Parameters<UdpSocketResult['send']>, [string, ArrayBuffer, number]>,
    Equal<UdpSocketResult['socketId'], number>,
    Fits<{ address: string; port: number; type: 'udp4' }, Parameters<Sockets['udpSocket']>[0]>,
  ]
>
