import type { Account, account, AccountChange } from './account.ts'
import type { broker, RemoteBroker, ServedNamespaces } from './broker.ts'
import type { connect, ConnectAvailability } from './connect.ts'
import type { FrameConsentAnswer, FrameConsentRequest, frameConsent } from './consent.ts'
import type { Claims, Equal, Fits, Not } from './expect.test-d.ts'
import type { fs } from './fs.ts'
import type { HiddenSurface, overlay, OverlayRect, OverlayState, Radii, SetOverlayHost } from './overlay.ts'
import type { installPrompt, relay } from './prompts.ts'
import type { Remote, Served } from './shape.ts'
import type { shell } from './shell.ts'

type Wait<T> = T | Promise<T>
type Unsubscribe = () => Promise<void>

export type AccountClaims = Claims<
  [
    Equal<Account, { image: string | null; name: string; premium: boolean; premiumUntil: string | null }>,
    Equal<AccountChange, { switched: boolean }>,
    Equal<Remote<typeof account>['info'], () => Promise<Account | null>>,
    Equal<Remote<typeof account>['login'], (consumerOrigin: string) => Promise<boolean>>,
    Equal<Remote<typeof account>['logout'], () => Promise<void>>,
    Fits<(listener: (change?: AccountChange) => void) => Promise<Unsubscribe>, Remote<typeof account>['onChange']>,
    Fits<Awaited<ReturnType<Remote<typeof account>['onChange']>>, Unsubscribe>,
    Equal<Served<typeof account>['login'], (consumerOrigin: string) => Wait<boolean>>,
    Fits<() => { image: null; name: string; premium: false; premiumUntil: null }, Served<typeof account>['info']>,
    Equal<ConnectAvailability, 'connected' | 'disconnected' | 'unknown'>,
    Equal<Remote<typeof connect>['prompt'], (consumerOrigin: string) => Promise<boolean>>,
  ]
>

export type ConsentClaims = Claims<
  [
    Equal<FrameConsentAnswer, 'once' | 'session' | false>,
    Fits<{ category: 'interaction' | 'storage' | 'network' | 'evaluation'; hosts: string[] }, FrameConsentRequest>,
    Fits<{ key: string; hosts: string[] }, FrameConsentRequest>,
    Fits<{ key: string; hosts: string[]; attach: string }, FrameConsentRequest>,
    Fits<{ scope: 'frame.fetchRead' | 'frame.fetchWrite'; hosts: string[] }, FrameConsentRequest>,
    Equal<Awaited<ReturnType<Remote<typeof frameConsent>['request']>>, FrameConsentAnswer[]>,
    Equal<Awaited<ReturnType<Remote<typeof frameConsent>['ensure']>>, boolean>,
  ]
>

export type OverlayClaims = Claims<
  [
    Equal<Radii, [number, number, number, number]>,
    Equal<OverlayRect, { x: number; y: number; width: number; height: number; radius?: Radii }>,
    Equal<HiddenSurface, { cause: 'not-rendered' | 'clipped' | 'not-shown'; kind: string; level: 'full' | 'liveness' }>,
    Equal<OverlayState['inset'], { top: number }>,
    Equal<OverlayState['view'], { height: number; width: number }>,
    Equal<keyof OverlayState, 'hidden' | 'inset' | 'modal' | 'rects' | 'view'>,
    Fits<Parameters<SetOverlayHost>, Parameters<Remote<typeof overlay>['setHost']>>,
  ]
>

export type PromptClaims = Claims<
  [
    Equal<Remote<typeof installPrompt>['show'], (reason?: string) => Promise<void>>,
    Equal<Remote<typeof installPrompt>['hide'], () => Promise<void>>,
    Equal<Remote<typeof relay>['prompt'], () => Promise<string>>,
    Equal<Remote<typeof shell>['applyUpdate'], () => Promise<boolean>>,
    Equal<Remote<typeof shell>['updateReady'], () => Promise<boolean>>,
    Equal<Awaited<ReturnType<Remote<typeof shell>['onUpdate']>>, Unsubscribe>,
    Equal<Awaited<ReturnType<Remote<typeof shell>['onUpdateTaken']>>, Unsubscribe>,
  ]
>

export type BrokerClaims = Claims<
  [
    Equal<Remote<typeof broker>['dnsLookup'], Remote<typeof broker>['cloud']['dns']['lookup']>,
    Equal<Remote<typeof broker>['proxyFetch'], Remote<typeof broker>['cloud']['fetch']>,
    Equal<Remote<typeof broker>['webVpnTcpSocket'], Remote<typeof broker>['webvpn']['tcpSocket']>,
    Equal<Remote<typeof broker>['webVpnTcpSocketListener'], Remote<typeof broker>['webvpn']['tcpSocketListener']>,
    Equal<Remote<typeof broker>['webVpnUdpSocket'], Remote<typeof broker>['webvpn']['udpSocket']>,
    Equal<Remote<typeof broker>['showInstallPrompt'], Remote<typeof broker>['installPrompt']['show']>,
    Equal<Remote<typeof broker>['hideInstallPrompt'], Remote<typeof broker>['installPrompt']['hide']>,
    Equal<Remote<typeof broker>['setOverlayHost'], Remote<typeof broker>['overlay']['setHost']>,
    // A broker may serve a part only, and an app must look before it calls.
    Fits<{ cloud: { fs: Pick<Served<typeof fs>, 'accountPin' | 'available'> } }, ServedNamespaces>,
    Not<Fits<{ cloud: { fs: { available: () => string } } }, ServedNamespaces>>,
    Fits<undefined, NonNullable<RemoteBroker['cloud']>['fs']>,
    Fits<undefined, NonNullable<RemoteBroker['shell']>['updateReady']>,
    Equal<NonNullable<NonNullable<RemoteBroker['shell']>['updateReady']>, () => Promise<boolean>>,
    Fits<{ shell: Served<typeof shell> }, ServedNamespaces>,
    Fits<undefined, RemoteBroker['storage']>,
  ]
>
