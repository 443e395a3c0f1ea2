import { nameAt, numberAt, type Answer, type Message } from './dns-message.ts'
import { kinds, type Kind } from './dns-names.ts'
import { nodeError } from './errors.ts'

/** An address and for how many seconds it holds. */
export interface RecordWithTtl {
  address: string
  ttl: number
}
export interface MxRecord {
  exchange: string
  priority: number
  type: 'MX'
}
export interface SrvRecord {
  name: string
  port: number
  priority: number
  weight: number
  type: 'SRV'
}
export interface NaptrRecord {
  flags: string
  service: string
  regexp: string
  replacement: string
  order: number
  preference: number
}
export interface SoaRecord {
  nsname: string
  hostmaster: string
  serial: number
  refresh: number
  retry: number
  expire: number
  minttl: number
}
/** Who may certify a name; the one further member is named after its tag. */
export interface CaaRecord {
  critical: number
  type: 'CAA'
  [tag: string]: string | number
}
export interface TlsaRecord {
  certUsage: number
  selector: number
  match: number
  data: ArrayBuffer
}
/** A record of any kind, which its `type` names. */
export type AnyRecord = { readonly type: string } & Record<string, unknown>

/** A cursor over the data of one record. @throws EBADRESP beyond its end */
class Data {
  readonly #bytes: Uint8Array
  readonly #end: number
  #at: number
  constructor({ bytes }: Message, { start, end }: Answer) {
    this.#bytes = bytes.subarray(0, end)
    this.#at = start
    this.#end = end
  }
  number(size: 1 | 2 | 4): number {
    const number = numberAt(this.#bytes, this.#at, size)
    this.#at += size
    return number
  }
  name(): string {
    const { name, end } = nameAt(this.#bytes, this.#at)
    this.#at = end
    return name
  }
  /** The bytes that are left, or so many of them. */
  rest(size = this.#end - this.#at): Uint8Array<ArrayBuffer> {
    if (this.#at + size > this.#end) throw nodeError('EBADRESP', 'EBADRESP')
    const part = this.#bytes.slice(this.#at, this.#at + size)
    this.#at += size
    return part
  }
  text(size?: number): string {
    return Array.from(this.rest(size), byte => String.fromCharCode(byte)).join('')
  }
  get isOver(): boolean {
    return this.#at >= this.#end
  }
}

function sixOf(bytes: Uint8Array): string {
  const parts = Array.from({ length: 8 }, (_, index) => numberAt(bytes, index * 2, 2))
  const text = parts.map(part => part.toString(16)).join(':')
  const runs = [...text.matchAll(/(?<![0-9a-f])0(?::0)+(?![0-9a-f])/g)].toSorted((a, b) => b[0].length - a[0].length)
  const [longest] = runs
  if (longest === undefined) return text
  if (/^0:0:0:0:0:(?:ffff|0):[1-9a-f]/.test(text)) return `::${parts[5] === 0 ? '' : 'ffff:'}${bytes.slice(12).join('.')}`
  return `${text.slice(0, longest.index).replace(/:$/, '')}::${text.slice(longest.index + longest[0].length).replace(/^:/, '')}`
}

const texts = (data: Data): string[] => {
  const parts: string[] = []
  while (!data.isOver) parts.push(data.text(data.number(1)))
  return parts
}
const soa = (data: Data): SoaRecord => {
  const [nsname, hostmaster] = [data.name(), data.name()]
  const [serial, refresh, retry, expire, minttl] = Array.from({ length: 5 }, () => data.number(4)) as [number, number, number, number, number]
  return { nsname, hostmaster, serial, refresh, retry, expire, minttl }
}

const readers = {
  A: (data: Data) => data.rest(4).join('.'),
  AAAA: (data: Data) => sixOf(data.rest(16)),
  CNAME: (data: Data) => data.name(),
  NS: (data: Data) => data.name(),
  PTR: (data: Data) => data.name(),
  TXT: texts,
  SOA: soa,
  MX: (data: Data): MxRecord => {
    const priority = data.number(2)
    return { exchange: data.name(), priority, type: 'MX' }
  },
  SRV: (data: Data): SrvRecord => {
    const [priority, weight, port] = [data.number(2), data.number(2), data.number(2)]
    return { name: data.name(), port, priority, weight, type: 'SRV' }
  },
  NAPTR: (data: Data): NaptrRecord => {
    const [order, preference] = [data.number(2), data.number(2)]
    const [flags, service, regexp] = [data.text(data.number(1)), data.text(data.number(1)), data.text(data.number(1))]
    return { flags, service, regexp, replacement: data.name(), order, preference }
  },
  CAA: (data: Data): CaaRecord => {
    const critical = data.number(1)
    const tag = data.text(data.number(1))
    return { [tag]: data.text(), critical, type: 'CAA' }
  },
  TLSA: (data: Data): TlsaRecord => ({ certUsage: data.number(1), selector: data.number(1), match: data.number(1), data: data.rest().buffer }),
} satisfies Readonly<Partial<Record<Kind, (data: Data) => unknown>>>

type Readable = keyof typeof readers
const read = (message: Message, kind: Readable): { readonly value: unknown; readonly ttl: number }[] =>
  message.answers.filter(({ type }) => type === kinds[kind]).map(answer => ({ value: readers[kind](new Data(message, answer)), ttl: answer.ttl }))

// In Node's order. An alias stands for the addresses behind it.
const inAny: readonly Readable[] = ['CNAME', 'A', 'AAAA', 'MX', 'NS', 'TXT', 'SRV', 'PTR', 'NAPTR', 'SOA', 'TLSA', 'CAA']
const named: Readonly<Partial<Record<Readable, string>>> = { CNAME: 'value', NS: 'value', PTR: 'value', TXT: 'entries' }

function anyOf(message: Message): AnyRecord[] {
  const hasAlias = message.answers.some(({ type }) => type === kinds.CNAME)
  return inAny.flatMap(type => {
    if (type === 'A' && hasAlias) return []
    return read(message, type).map(({ value, ttl }): AnyRecord => {
      if (type === 'A' || type === 'AAAA') return { address: value, ttl, type }
      const name = named[type]
      return { ...(name === undefined ? (value as object) : { [name]: value }), type }
    })
  })
}

/** What a query of one kind is answered with, in Node's shapes. @throws ENODATA, EBADRESP */
export function recordsOf(message: Message, kind: Kind, withTtl: boolean): unknown {
  if (message.answers.length === 0) throw nodeError('ENODATA', 'ENODATA')
  if (kind === 'ANY') return anyOf(message)
  const found = read(message, kind)
  if (kind === 'SOA') {
    if (found[0] === undefined) throw nodeError('EBADRESP', 'EBADRESP')
    return found[0].value
  }
  if (found.length === 0 && (kind === 'NS' || kind === 'PTR' || kind === 'CNAME')) throw nodeError('ENODATA', 'ENODATA')
  return withTtl && (kind === 'A' || kind === 'AAAA') ? found.map(({ value, ttl }) => ({ address: value, ttl })) : found.map(({ value }) => value)
}
