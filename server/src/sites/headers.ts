import type { Origins } from '../config/origins.ts'

/** The broker's pages, and how each may be opened: framed by anyone, as a window that keeps its opener, or all by itself. */
export const brokerPages = { frame: 'framed', 'connect-button': 'framed', 'sign-in': 'window', consent: 'window', account: 'alone' } as const
/** The pages where a person may type a passphrase: only they may compile the code that stretches it. */
const stretching: readonly string[] = ['sign-in', 'account'] satisfies BrokerPage[]
/** A page of the broker. */
export type BrokerPage = keyof typeof brokerPages

const nothingElse = [
  'accelerometer=()',
  'autoplay=()',
  'camera=()',
  'display-capture=()',
  'geolocation=()',
  'gyroscope=()',
  'hid=()',
  'idle-detection=()',
  'local-fonts=()',
  'magnetometer=()',
  'microphone=()',
  'midi=()',
  'payment=()',
  'screen-wake-lock=()',
  'serial=()',
  'usb=()',
  'xr-spatial-tracking=()',
  'publickey-credentials-get=(self)',
  'publickey-credentials-create=(self)',
].join(', ')

const everywhere = (origin: string): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'origin-agent-cluster': '?1',
  ...(origin.startsWith('https:') ? { 'strict-transport-security': 'max-age=63072000; includeSubDomains' } : {}),
})

const webSocket = (origin: string): string => origin.replace(/^http/, 'ws')

/**
 * Headers of everything on the broker origin. COEP and CORP stand on every answer, else an app that is cross-origin isolated
 * could not embed the frame. A page of null is no page at all (a script, a style, a picture). The frame alone connects to `nodes`, the origins of
 * tunnel nodes.
 */
export function brokerHeaders(origins: Origins, page: BrokerPage | null, nodes: readonly string[] = []): Record<string, string> {
  const opened = page === null ? null : brokerPages[page]
  const policy = [
    "default-src 'none'",
    page !== null && stretching.includes(page) ? "script-src 'self' 'wasm-unsafe-eval'" : "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    ["connect-src 'self'", origins.api, webSocket(origins.api), origins.cdn, ...(page === 'frame' ? nodes.flatMap(node => [node, webSocket(node)]) : [])].join(
      ' ',
    ),
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    `frame-ancestors ${opened === 'framed' ? '*' : "'none'"}`,
  ]
  return {
    ...everywhere(origins.broker),
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': opened === 'alone' ? 'same-origin' : 'unsafe-none',
    'cross-origin-embedder-policy': 'require-corp',
    'cross-origin-resource-policy': 'cross-origin',
    'permissions-policy': nothingElse,
  }
}

/** Headers of the playground, an app like any other: its own files, the broker's frame, and objects of the cdn. */
export function playgroundHeaders(origins: Origins): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    `connect-src 'self' blob: ${origins.cdn}`,
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    `frame-src ${origins.broker}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ]
  return { ...everywhere(origins.playground ?? ''), 'content-security-policy': policy.join('; ') }
}
