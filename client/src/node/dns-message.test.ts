import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMessage, writeQuery } from './dns-message.ts'
import { kinds, wireName, type Kind } from './dns-names.ts'
import { recordsOf } from './dns-records.ts'

const pointer = [0xc0, 12]
const record = (kind: Kind, data: readonly number[]): number[] => [...pointer, 0, kinds[kind], 0, 1, 0, 0, 0, 60, 0, data.length, ...data]
const name = [1, 97, ...pointer]
const records = [
  ...[record('A', [192, 0, 2, 1]), record('AAAA', [0, 1, ...Array.from({ length: 13 }, () => 0), 9]), record('MX', [0, 10, ...name])],
  ...[record('TXT', [1, 97, 2, 98, 99]), record('SRV', [0, 1, 0, 2, 0, 80, ...name]), record('NAPTR', [0, 1, 0, 2, 1, 115, 1, 97, 0, ...name])],
  ...[record('SOA', [...name, ...name, ...Array.from({ length: 20 }, (_, index) => index)]), record('TLSA', [3, 1, 1, 7]), record('NS', name)],
]
const answered = (answers: readonly number[][]): Uint8Array => {
  const query = writeQuery(513, 'x.example', kinds.ANY)
  return new Uint8Array([2, 1, 0x81, 0x80, 0, 1, 0, answers.length, 0, 0, 0, 0, ...query.subarray(12), ...answers.flat()])
}
const code = (run: () => unknown): unknown => {
  try {
    run()
    return undefined
  } catch (error) {
    return (error as { readonly code?: unknown }).code ?? error
  }
}

test('LIB-13: whatever a server of names sends is read, or is EBADRESP or ENODATA', () => {
  const whole = answered(records)
  assert.equal((recordsOf(readMessage(whole), 'ANY', false) as unknown[]).length, records.length)
  let seed = 20_261_121
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return (seed >>> 8) % below
  }
  const outcomes = new Set<unknown>()
  for (let time = 0; time < 1000; time += 1) {
    const bytes = whole.slice(0, random(4) === 0 ? random(whole.length) : whole.length)
    for (let change = random(6); change >= 0 && bytes.length > 0; change -= 1) bytes[random(bytes.length)] = random(3) === 0 ? 0xc0 : random(256)
    for (const kind of ['ANY', 'SOA', 'TXT'] as const) outcomes.add(code(() => recordsOf(readMessage(bytes), kind, false)))
  }
  assert.deepEqual(outcomes, new Set([undefined, 'EBADRESP', 'ENODATA']))
})

test('LIB-13: a name that points at itself ends', () => {
  const loop = [...pointer.slice(0, 1), 27, 0, 2, 0, 1, 0, 0, 0, 60, 0, 2, 0xc0, 38]
  assert.equal(
    code(() => readMessage(answered([loop]))),
    'EBADRESP',
  )
})

test('LIB-13: what a server puts into a name stays in its label', () => {
  const spelled = answered([record('NS', [4, 97, 46, 98, 0, 3, 34, 92, 200, 0])])
  assert.deepEqual(recordsOf(readMessage(spelled), 'NS', false), ['a\\.b\\000.\\"\\\\\\200'])
})

test('LIB-13: IPv6 addresses are told as systems tell them', () => {
  const told = (parts: readonly number[]): unknown =>
    recordsOf(
      readMessage(
        answered([
          record(
            'AAAA',
            parts.flatMap(part => [part >> 8, part & 255]),
          ),
        ]),
      ),
      'AAAA',
      false,
    )
  const forms: [number[], string][] = [
    [[0, 0, 0, 0, 0, 0, 0, 0], '::'],
    [[0, 0, 0, 0, 0, 0, 0, 1], '::1'],
    [[0x2001, 0xdb8, 0, 0, 1, 0, 0, 1], '2001:db8::1:0:0:1'],
    [[0x2001, 0xdb8, 0, 1, 0, 0, 0, 1], '2001:db8:0:1::1'],
    [[1, 2, 3, 4, 5, 6, 0, 8], '1:2:3:4:5:6:0:8'],
    [[1, 0, 0, 0, 0, 0, 0, 0], '1::'],
    [[0, 0, 0, 0, 0, 0xffff, 0xc000, 0x0201], '::ffff:192.0.2.1'],
    [[0x10, 0, 0, 0x100, 0, 0, 0, 0], '10:0:0:100::'],
  ]
  for (const [parts, text] of forms) assert.deepEqual(told(parts), [text])
})

test('LIB-13: a name in letters of its own is asked for in ASCII, and nothing more than a name is taken', () => {
  assert.equal(wireName('Bücher.Example.'), 'xn--bcher-kva.example')
  assert.equal(wireName('_sip._tcp.Example'), '_sip._tcp.example')
  for (const bad of ['é/x', 'é:80', 'é@x', 'é%2e', 'a..b', `${'a'.repeat(64)}.x`, 'a.'.repeat(130), 'a b'])
    assert.equal(
      code(() => wireName(bad)),
      'EBADNAME',
      bad,
    )
})
