/** What every page of `openNodePage` begins with: Node's globals, the broker, and a first use of sockets. */
import '@deputy/client/globals'
import { account, configure } from '@deputy/client'
import { connect } from '@deputy/client/net'
import type { NodePage } from './node-page.ts'

configure({ broker: new URLSearchParams(location.search).get('broker') ?? '' })
const nodePage: NodePage = {
  begin: () => account.info(),
  // 127.0.0.1 would be the page itself only if something listened there.
  ask: () =>
    new Promise(resolve => {
      connect(1, '127.0.0.1')
        .on('connect', () => resolve('connected'))
        .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    }),
}
Object.assign(globalThis, { nodePage })
