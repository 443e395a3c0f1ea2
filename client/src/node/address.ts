const v4Part = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]\\d|\\d)'
const v4 = `(?:${v4Part}\\.){3}${v4Part}`
const part = '(?:[0-9a-fA-F]{1,4})'
const v6 = [
  `(?:${part}:){7}(?:${part}|:)`,
  `(?:${part}:){6}(?:${v4}|:${part}|:)`,
  ...[5, 4, 3, 2, 1].map(count => `(?:${part}:){${count}}(?:(?::${part}){0,${5 - count}}:${v4}|(?::${part}){1,${7 - count}}|:)`),
  `:(?:(?::${part}){0,5}:${v4}|(?::${part}){1,7}|:)`,
].join('|')
const isV4 = new RegExp(`^${v4}$`)
const isV6 = new RegExp(`^(?:${v6})(?:%[0-9a-zA-Z-.:]{1,})?$`)

/** Whether a text is an IPv4 address in four decimal parts. */
export const isIPv4 = (text: unknown): boolean => isV4.test(String(text))
/** Whether a text is an IPv6 address. */
export const isIPv6 = (text: unknown): boolean => isV6.test(String(text))
/** 4, 6, or 0 for what is no address. */
export const isIP = (text: unknown): 0 | 4 | 6 => (isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0)

/** An address as a number; the zone of an IPv6 address is left out. */
export function numberOf(address: string): bigint {
  if (isIPv4(address)) return address.split('.').reduce((sum, digits) => sum * 256n + BigInt(digits), 0n)
  const plain = address.replace(/%.*/, '').replace(new RegExp(`${v4}$`), digits => {
    const number = numberOf(digits)
    return `${(number >> 16n).toString(16)}:${(number & 0xffffn).toString(16)}`
  })
  const [head = '', tail] = plain.split('::')
  const parts = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const front = parts(head)
  const back = parts(tail ?? '')
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length
  return [...front, ...Array.from({ length: zeros }, () => '0'), ...back].reduce((sum, digits) => sum * 65_536n + BigInt(`0x${digits}`), 0n)
}

/** An address in its shortest form, as a system tells it. */
export function plainAddress(address: string): string {
  if (isIPv4(address)) return address
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1)
  // An IPv4 address in IPv6 clothes keeps its dots.
  return short.replace(/^(::(?:ffff:)?)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/, (_all, head: string, high: string, low: string) => {
    const parts = [high, low].flatMap(hex => [Number.parseInt(hex, 16) >> 8, Number.parseInt(hex, 16) & 255])
    return `${head}${parts.join('.')}`
  })
}

/** Whether a host is this page itself: what listens there is reached without the tunnel. */
export const isLoopback = (host: string): boolean => host === '127.0.0.1' || host === '::1' || host.toLowerCase() === 'localhost'
