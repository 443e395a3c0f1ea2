/** Assertions that work in Node, in pages and in workers alike. */

/** Fails unless both are the same as JSON, members in order of name. */
export function same(actual: unknown, expected: unknown, what = 'value'): void {
  const [seen, wanted] = [text(actual), text(expected)]
  if (seen !== wanted) throw new Error(`${what}: expected ${wanted}, got ${seen}`)
}

/** Fails unless it is true. */
export function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(what)
}

/** The error a promise rejects with; fails when it fulfils. */
export async function rejection(promise: Promise<unknown>): Promise<Error & { code?: unknown }> {
  const value: unknown = await promise.then(
    fulfilled => ({ fulfilled }),
    (error: unknown) => error,
  )
  if (!(value instanceof Error)) throw new Error(`expected a rejection, got ${text(value)}`)
  return value
}

/** Waits, a task at a time, until it holds; fails after five seconds. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + 5000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`in vain: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 1))
  }
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_key, member: unknown) => {
    if (member === undefined) return 'undefined'
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
