import { labelMost, nameMost } from './dns-names.ts'
import { nodeError } from './errors.ts'

/** One record, whose data is read from where it begins. */
export interface Answer {
  readonly type: number
  readonly ttl: number
  /** First byte of its data within the message, and the first after it. */
  readonly start: number
  readonly end: number
}
/** What a server answered. */
export interface Message {
  readonly bytes: Uint8Array
  readonly id: number
  readonly code: number
  readonly isCut: boolean
  readonly name: string
  readonly type: number
  readonly answers: readonly Answer[]
}

const internet = 1
const header = 12
const wantsRecursion = 0x01
const jumpsMost = 64
const badAnswer = (): Error => nodeError('EBADRESP', 'EBADRESP')

/** A question of one name, by which an answer is known. */
export function writeQuery(id: number, name: string, type: number): Uint8Array<ArrayBuffer> {
  const labels = name === '' ? [] : name.split('.').flatMap(label => [label.length, ...new TextEncoder().encode(label)])
  return new Uint8Array([id >> 8, id & 255, wantsRecursion, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels, 0, type >> 8, type & 255, 0, internet])
}

/** A number of the message. @throws EBADRESP beyond its end */
export function numberAt(bytes: Uint8Array, at: number, size: 1 | 2 | 4): number {
  if (at + size > bytes.length) throw badAnswer()
  let sum = 0
  for (let index = at; index < at + size; index += 1) sum = sum * 256 + (bytes[index] ?? 0)
  return sum
}

/** A name of the message, with what is no plain letter escaped, and where it ends. @throws EBADRESP */
export function nameAt(bytes: Uint8Array, at: number): { readonly name: string; readonly end: number } {
  const labels: string[] = []
  let [place, end, jumps, length] = [at, 0, 0, 0]
  for (;;) {
    const size = numberAt(bytes, place, 1)
    if (size >= 0xc0) {
      if (end === 0) end = place + 2
      place = numberAt(bytes, place, 2) & 0x3fff
      jumps += 1
      if (jumps > jumpsMost) throw badAnswer()
      continue
    }
    place += 1
    if (size === 0) return { name: labels.join('.'), end: end || place }
    length += size + 1
    if (size > labelMost || length > nameMost || place + size > bytes.length) throw badAnswer()
    labels.push(Array.from(bytes.subarray(place, place + size), letter).join(''))
    place += size
  }
}

function letter(byte: number): string {
  const text = String.fromCharCode(byte)
  if (byte <= 0x20 || byte >= 0x7f) return `\\${String(byte).padStart(3, '0')}`
  return '."$();@\\'.includes(text) ? `\\${text}` : text
}

/** Reads what a server sent; the sections after the answers are left out. @throws EBADRESP */
export function readMessage(bytes: Uint8Array): Message {
  const [id, flags, questions, count] = [0, 2, 4, 6].map(at => numberAt(bytes, at, 2)) as [number, number, number, number]
  if ((flags & 0x8000) === 0 || questions !== 1 || bytes.length < header) throw badAnswer()
  const { name, end } = nameAt(bytes, header)
  const isCut = (flags & 0x0200) !== 0
  const answers: Answer[] = []
  for (let at = end + 4; answers.length < count && !isCut;) {
    const of = nameAt(bytes, at).end
    const start = of + 10
    const after = start + numberAt(bytes, of + 8, 2)
    if (after > bytes.length) throw badAnswer()
    answers.push({ type: numberAt(bytes, of, 2), ttl: numberAt(bytes, of + 4, 4), start, end: after })
    at = after
  }
  return { bytes, id, code: flags & 15, isCut, name, type: numberAt(bytes, end, 2), answers }
}
