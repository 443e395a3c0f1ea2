import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

/** One finished test, as a line of JSON. */
export interface TestLine {
  readonly name: string
  readonly result: 'passed' | 'failed' | 'skipped'
  /** Why it was skipped, or how it failed. */
  readonly reason?: string
}

/** A reporter for node:test: a line of JSON for each test that ends. Suites count only where they fail by themselves. */
export default async function* testEvents(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    const line = lineOf(event)
    if (line) yield `${JSON.stringify(line)}\n`
  }
}

/** What an event says of a test that ended, if it does. */
export function lineOf(event: TestEvent): TestLine | undefined {
  if (event.type === 'test:pass') {
    const { name, details, skip, todo } = event.data
    if (details.type === 'suite') return undefined
    if (skip === undefined && todo === undefined) return { name, result: 'passed' }
    const reason = skip ?? todo
    return { name, result: 'skipped', reason: typeof reason === 'string' ? reason : 'without a reason' }
  }
  if (event.type !== 'test:fail') return undefined
  const { name, details, file = '', line = 0 } = event.data
  const error = details.error as Error & { failureType?: string }
  const ofSubtests = error.failureType === 'subtestsFailed'
  if (ofSubtests && details.type === 'suite') return undefined
  return { name, result: 'failed', reason: ofSubtests ? 'a test inside it failed' : `${file}:${line}\n${inspect(error.cause ?? error)}` }
}
