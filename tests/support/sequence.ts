/** A seeded maker of channel messages, most of them nearly right, since those get furthest. */
export interface Sequence {
  /** A message of a hostile peer; `id` is a call number that has not been used. */
  message(id: number): { value: unknown; transfer: MessagePort[] }
}

const names = ['echo', 'name', 'subscribe', 'open', 'read', 'items', 'slow', '', 'say', '@fork', '__proto__', 'constructor', 'echo.call', 'toString', 'then']

/** The same messages for the same seed. */
export function sequence(seed: number): Sequence {
  let state = seed >>> 0
  const random = (below: number): number => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) >>> 0
    let word = Math.imul(state ^ (state >>> 15), state | 1)
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61)
    return ((word ^ (word >>> 14)) >>> 0) % below
  }
  const pick = <T>(of: readonly T[]): T => of[random(of.length)] as T
  const number = (): unknown => pick([0, 1, 2, 3, random(60), random(60), -1, 1.5, Number.NaN, Infinity, 2 ** 53, '1', null, undefined])

  let transfer: MessagePort[] = []
  const port = (): MessagePort => {
    const { port1, port2 } = new MessageChannel()
    for (let words = random(4); words > 0; words--)
      port1.postMessage(pick<() => unknown>([number, () => [random(6), pick(names)], () => new Uint8Array(random(5000))])())
    port1.close()
    transfer.push(port2)
    return port2
  }
  const anything = (depth: number): unknown => {
    const leaf = [
      number,
      () => pick(names),
      () => 'x'.repeat(random(300)),
      () => true,
      () => new Uint8Array(random(50)),
      port,
      () => new Map([[1, 2]]),
      () => new Date(0),
      () => /x/,
    ]
    if (depth === 0 || random(3) === 0) return pick(leaf)()
    if (random(2) === 0) return Array.from({ length: random(6) }, () => anything(depth - 1))
    const entries = Array.from({ length: random(5) }, () => [pick([...names, 'error', 'n', 'polluted']), anything(depth - 1)] as const)
    return random(8) === 0 ? JSON.parse('{"__proto__":{"polluted":1}}') : Object.fromEntries(entries)
  }
  const args = (): unknown =>
    random(6) === 0 ? anything(3) : [pick<() => unknown>([number, () => [random(4), pick([port, number, () => pick(names)])()], () => anything(3)])()]

  const kinds: readonly ((id: number) => unknown)[] = [
    id => [1, id, 0, pick(names), args()],
    id => [1, id, 0, pick(names), args()],
    id => [1, id, 0, pick(names), args()],
    id => [1, id, 0, pick(names), args()],
    id => [1, id, random(20) === 0 ? random(8) : 0, pick(names), args()],
  ]
  const rare: readonly ((id: number) => unknown)[] = [
    id => [1, random(2) === 0 ? number() : id, number(), anything(1), anything(3)],
    () => [2, number(), args()],
    () => [3, number(), anything(3)],
    () => [4, number(), anything(2)],
    () => [5, number()],
    () => [6, number()],
    () => [7, number(), pick([true, false, 1]), anything(3)],
    () => [8, number()],
    () => [9],
    () => [10],
    () => [11, pick([true, undefined, 'x'])],
    () => [0, number(), anything(3)],
    () => anything(3),
  ]
  return {
    message: id => {
      transfer = []
      const value = pick(random(60) === 0 ? rare : kinds)(id)
      return { value, transfer }
    },
  }
}
