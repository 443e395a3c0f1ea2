import { ProtocolError } from './frames.ts'

/** A datagram and its other end. */
export interface Datagram {
  readonly address: string
  readonly port: number
  readonly data: Uint8Array<ArrayBuffer>
}

const v4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/

/** The 16 bytes of an IPv6 address, or the 4 of an IPv4 one; undefined for what is neither. A zone is left out. */
function bytesOfAddress(text: string): Uint8Array<ArrayBuffer> | undefined {
  const four = v4.exec(text)
  if (four !== null) {
    const bytes = Uint8Array.from(four.slice(1), Number)
    return four.slice(1).every(part => Number(part) < 256) ? bytes : undefined
  }
  const [head = '', tail, ...more] = (text.split('%')[0] ?? '').split('::')
  if (more.length > 0 || !text.includes(':')) return undefined
  const groups = (part: string): number[] =>
    part === ''
      ? []
      : part.split(':').flatMap(group => {
          const inner = v4.exec(group)
          if (inner !== null) return [Number(inner[1]) * 256 + Number(inner[2]), Number(inner[3]) * 256 + Number(inner[4])]
          return [/^[0-9a-f]{1,4}$/i.test(group) ? Number.parseInt(group, 16) : Number.NaN]
        })
  const [first, last] = [groups(head), groups(tail ?? '')]
  const missing = 8 - first.length - last.length
  if (tail === undefined ? missing !== 0 : missing < 0) return undefined
  const all = [...first, ...Array.from({ length: missing }, () => 0), ...last]
  if (all.some(group => !(group >= 0 && group <= 0xffff))) return undefined
  return Uint8Array.from(all.flatMap(group => [group >> 8, group & 0xff]))
}

/** An address in its usual text. */
function textOfAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, index) => (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16))
  // The longest run of two or more zeros is left out, the first of equals.
  let best = { at: -1, length: 1 }
  for (let at = 0; at < 8; at += 1) {
    let length = 0
    while (groups[at + length] === '0') length += 1
    if (length > best.length) best = { at, length }
  }
  if (best.at < 0) return groups.join(':')
  return `${groups.slice(0, best.at).join(':')}::${groups.slice(best.at + best.length).join(':')}`
}

/**
 * A datagram as a payload.
 * @throws {TypeError} for an address that is none.
 */
export function writeDatagram({ address, port, data }: Datagram): Uint8Array<ArrayBuffer> {
  const place = bytesOfAddress(address)
  if (place === undefined) throw new TypeError('the address is malformed')
  const payload = new Uint8Array(3 + place.length + data.byteLength)
  payload[0] = place.length === 4 ? 4 : 6
  payload[1] = port & 0xff
  payload[2] = port >> 8
  payload.set(place, 3)
  payload.set(data, 3 + place.length)
  return payload
}

/**
 * A payload as a datagram; `data` is a view into it.
 * @throws {ProtocolError} when it is none.
 */
export function readDatagram(payload: Uint8Array<ArrayBuffer>): Datagram {
  const length = payload[0] === 4 ? 4 : payload[0] === 6 ? 16 : 0
  if (length === 0 || payload.byteLength < 3 + length) throw new ProtocolError('the datagram is malformed')
  return {
    address: textOfAddress(payload.subarray(3, 3 + length)),
    port: (payload[1] ?? 0) | ((payload[2] ?? 0) << 8),
    data: payload.subarray(3 + length),
  }
}
