import { isIPv4, numberOf } from './address.ts'
import { askByTcp, DnsLine } from './dns-line.ts'
import { writeQuery, type Message } from './dns-message.ts'
import { kinds, type Kind } from './dns-names.ts'
import { recordsOf } from './dns-records.ts'
import type { NameServer } from './dns-servers.ts'
import { codeOf, nodeError } from './errors.ts'

const codes: Readonly<Record<number, string>> = { 1: 'EFORMERR', 2: 'ESERVFAIL', 3: 'ENOTFOUND', 4: 'ENOTIMP', 5: 'EREFUSED' }
const final = new Set(['EBADRESP', 'ENODATA', ...Object.values(codes)])
const coded = (code: string): Error => nodeError(code, code)

/** With how much patience servers are asked. */
export interface Patience {
  readonly timeout: number
  readonly tries: number
  readonly maxTimeout: number
}

/** Servers that an app named, asked over the tunnel. Loaded with the first question. */
export class NamedServers {
  readonly #patience: Patience
  readonly #all: readonly { readonly server: NameServer; readonly line: DnsLine }[]

  constructor(servers: readonly NameServer[], patience: Patience) {
    this.#all = servers.map(server => ({ server, line: new DnsLine(server) }))
    this.#patience = patience
  }

  /** Answers a query in Node's shapes. Each server in turn, and all of them anew with twice the patience. */
  async query(name: string, kind: Kind, withTtl: boolean, signal: AbortSignal): Promise<unknown> {
    const { timeout, tries, maxTimeout } = this.#patience
    const out = new Set<NameServer>()
    let problem = coded(this.#all.length === 0 ? 'ECONNREFUSED' : 'ETIMEOUT')
    for (let time = 0; time < tries && out.size < this.#all.length && !signal.aborted; time += 1) {
      for (const { server, line } of this.#all) {
        if (out.has(server) || signal.aborted) continue
        try {
          const answer = await ask(line, server, name, kind, Math.min(timeout * 2 ** time, maxTimeout), signal)
          problem = coded(answer === undefined ? 'ETIMEOUT' : (codes[answer.code] ?? 'EBADRESP'))
          if (answer === undefined) continue
          if (answer.code !== 0) throw problem
          return recordsOf(answer, kind, withTtl)
        } catch (error) {
          if (final.has(codeOf(error))) throw error
          // One out of reach is so the next time as well.
          problem = error as Error
          out.add(server)
        }
      }
    }
    throw problem
  }

  /** The names of an address. */
  async reverse(address: string, signal: AbortSignal): Promise<string[]> {
    try {
      return (await this.query(pointerOf(address), 'PTR', false, signal)) as string[]
    } catch (error) {
      throw codeOf(error) === 'ENODATA' ? coded('ENOTFOUND') : error
    }
  }
}

function pointerOf(address: string): string {
  if (isIPv4(address)) return `${address.split('.').toReversed().join('.')}.in-addr.arpa`
  return `${numberOf(address).toString(16).padStart(32, '0').split('').toReversed().join('.')}.ip6.arpa`
}

async function ask(line: DnsLine, server: NameServer, name: string, kind: Kind, ms: number, signal: AbortSignal): Promise<Message | undefined> {
  const query = { write: (id: number) => writeQuery(id, name, kinds[kind]), isOf: (to: Message) => to.name.toLowerCase() === name && to.type === kinds[kind] }
  const answer = await line.ask(query, ms, signal)
  return answer?.isCut ? askByTcp(server, query, answer.id, ms, signal) : answer
}
