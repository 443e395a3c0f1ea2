/** Stands in the broker's partition for `storage.ts`: keeps the session as connecting does, and passes raw work on to its worker. */
import { keep, serve } from './bench-frame.ts'

const worker = (): Worker => {
  const policies = (globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } } })
    .trustedTypes
  const policy = policies.createPolicy(`bench-${crypto.randomUUID()}`, { createScriptURL: (text: string) => text })
  return new Worker(policy.createScriptURL('/assets/bench-worker-00000000.js'), { type: 'module' })
}

const raw = (order: unknown): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const made = worker()
    made.onerror = event => reject(new Error(event.message))
    made.onmessage = event => {
      made.terminate()
      resolve(event.data)
    }
    made.postMessage(order)
  })

serve<{ kept?: Readonly<Record<string, unknown>>; order?: unknown }>(({ kept, order }) => (kept === undefined ? raw(order) : keep(kept)))
