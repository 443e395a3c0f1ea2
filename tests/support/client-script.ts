/** What a page built with the client library runs in tests: the library, and what its functions answered. Bundled by `client-page.ts`. */
import * as client from '@deputy/client'
import * as cloud from '@deputy/client/cloud'

export interface ClientRealm {
  readonly client: typeof client
  readonly cloud: typeof cloud
  /** Changes that `account.onChange` told of. */
  readonly changes: unknown[]
  /** How a rejected promise ended, as data. */
  failure(promise: Promise<unknown>): Promise<{ readonly name: string; readonly code: unknown; readonly message: string } | null>
}

const failure: ClientRealm['failure'] = promise =>
  promise.then(
    () => null,
    (error: Error & { code?: unknown }) => ({ name: error.name, code: error.code, message: error.message }),
  )

client.configure({ broker: new URLSearchParams(location.search).get('broker') ?? '' })
Object.assign(globalThis, { realm: { client, cloud, changes: [], failure } satisfies ClientRealm })
