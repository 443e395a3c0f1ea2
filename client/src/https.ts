import { Agent as PlainAgent, type AgentOptions, type AgentTarget } from './node/http-agent.ts'
import { ClientRequest, type RequestOptions, type ResponseListener } from './node/http-client.ts'
import { readRequest, type RequestArguments } from './node/http-request.ts'
import type { Socket } from './node/socket.ts'
import { connect, type TlsOptions } from './tls.ts'

/** An agent whose connections are secured; what it is made with, requests may override. */
export interface HttpsAgentOptions extends AgentOptions, TlsOptions {}
/** A request over TLS. */
export interface HttpsRequestOptions extends RequestOptions, TlsOptions {}

const secured = [
  ...[
    'ca',
    'cert',
    'ciphers',
    'key',
    'passphrase',
    'crl',
    'servername',
    'rejectUnauthorized',
    'minVersion',
    'maxVersion',
    'secureProtocol',
    'ecdhCurve',
    'sigalgs',
  ],
  ...['checkServerIdentity', 'secureContext', 'ALPNProtocols', 'allowPartialTrustChain'],
] as const

// Values by number, so that a connection is told apart by its trust without a key in its name.
const numbers = new Map<unknown, number>()
const numbered = (value: unknown): string => {
  if (value === undefined) return ''
  const known = numbers.get(value) ?? numbers.size + 1
  numbers.set(value, known)
  return String(known)
}

/** Keeps secured connections between requests: by host, port and all that trust depends on. */
export class Agent extends PlainAgent {
  override defaultPort = 443
  override protocol = 'https:'
  declare readonly options: HttpsAgentOptions

  constructor(options: HttpsAgentOptions = {}) {
    super(options)
  }

  override getName(target: AgentTarget = {}): string {
    const of = { ...this.options, ...target } as Record<string, unknown>
    return `${super.getName(target)}:${secured.map(name => numbered(of[name])).join(':')}`
  }

  override createConnection(target: AgentTarget): Socket {
    // The name that `Host` tells; none where it is an address.
    const { servername, ...options } = { ...this.options, ...target } as TlsOptions & AgentTarget
    return connect({ ...(options as object), timeout: undefined, servername: servername || undefined })
  }
}

/** The agent of requests that name none. */
export const globalAgent = /* @__PURE__ */ new Agent({ keepAlive: true, timeout: 5000 })

/** Begins a request over TLS; `end` sends it (LIB-13). */
export function request(...of: RequestArguments<HttpsRequestOptions>): ClientRequest {
  const { options, listener } = readRequest<HttpsRequestOptions>(of)
  return new ClientRequest({ ...options, _defaultAgent: globalAgent }, listener)
}

/** A request without a body, sent at once (LIB-13). */
export function get(...of: RequestArguments<HttpsRequestOptions>): ClientRequest {
  const made = request(...of)
  made.end()
  return made
}

export type { ClientRequest, RequestArguments, ResponseListener }

// Many import the module as a whole.
export * as default from './https.ts'
