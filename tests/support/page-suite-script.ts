import { strict } from 'assert'

/** Stands for `node:assert/strict` and `node:test` in a page, by the aliases of its bundle. */
export { strict as default }

/** What a case is given. */
interface CaseContext {
  skip(why: string): void
}
type Run = (t: CaseContext) => unknown

/** How a case went: nothing to say, why it was left out, or how it failed. */
export interface CaseOutcome {
  readonly skipped?: string
  readonly failed?: string
}

const cases = new Map<string, Run>()

/** Stands for `test` of `node:test` in a page: keeps the case until it is asked for. */
export function test(name: string, run: Run): void {
  if (cases.has(name)) throw new Error(`two cases are named ${name}`)
  cases.set(name, run)
}

/** The cases in order. */
export const caseNames = (): string[] => [...cases.keys()]

/** Runs a case. An error nobody catches while it runs fails it. */
export async function runCase(name: string): Promise<CaseOutcome> {
  const run = cases.get(name)
  if (run === undefined) throw new Error(`no case is named ${name}`)
  let skipped: string | undefined
  const lost = Promise.withResolvers<never>()
  const onError = ({ error, message }: ErrorEvent): void => lost.reject((error as Error | null) ?? new Error(message))
  const onRejection = ({ reason }: PromiseRejectionEvent): void => lost.reject(reason as Error)
  addEventListener('error', onError)
  addEventListener('unhandledrejection', onRejection)
  try {
    await Promise.race([run({ skip: why => void (skipped = why) }), lost.promise])
    return skipped === undefined ? {} : { skipped }
  } catch (error) {
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  } finally {
    removeEventListener('error', onError)
    removeEventListener('unhandledrejection', onRejection)
  }
}
