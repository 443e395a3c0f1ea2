import { isIP } from './address.ts'
import { mustBeString, nodeError, wrongType } from './errors.ts'

/** A server of names. */
export interface NameServer {
  readonly address: string
  readonly family: 4 | 6
  readonly port: number
}

const standardPort = 53
// The longest address with a zone, its brackets and its port stay far below this.
const longest = 128
const forms = [/^\[([^[\]]+)\](?::(\d{1,5}))?$/, /^([^[\]:]+):(\d{1,5})$/]

function readServer(text: string): NameServer {
  const short = text.length <= longest ? text : ''
  const [, address = short, digits] = forms.map(form => form.exec(short)).find(found => found !== null) ?? []
  const family = isIP(address)
  const port = Number(digits ?? 0) || standardPort
  if (family === 0 || port > 65_535) throw nodeError('ERR_INVALID_IP_ADDRESS', `Invalid IP address: ${text}`, TypeError)
  return { address, family, port }
}

/** Reads what `setServers` takes: addresses, with ports where they are not 53. @throws ERR_INVALID_ARG_TYPE, ERR_INVALID_IP_ADDRESS */
export function readServers(servers: unknown): NameServer[] {
  if (!Array.isArray(servers)) throw wrongType('servers', 'an instance of Array', servers)
  const read: NameServer[] = []
  // Holes are passed over.
  servers.forEach((server: unknown, index) => {
    mustBeString(`servers[${index}]`, server)
    read.push(readServer(server))
  })
  return read
}

/** A server as `getServers` tells it. */
export function toldServer({ address, family, port }: NameServer): string {
  if (port === standardPort) return address
  return family === 6 ? `[${address}]:${port}` : `${address}:${port}`
}
