/** A broker of an earlier revision: it cannot pin, leaves no body to the app, and tells of account changes without a payload. Bundled for its own origin by tests. */
import { fetchValues, learn, openLink, portTransport, welcomeParent } from '@deputy/channel'
import { broker } from '@deputy/contract/broker'
import type { ServedPart } from '@deputy/contract/shape'

learn(fetchValues)
const listeners = new Set<() => void>()
let storageCalls = 0
/** A room from before mailboxes could be switched and claims could end by themselves. */
const room = {
  ...{ id: 'old/room', name: 'room', invite: 'key.old/room', key: 'key', owner: 'me', claimed: false, mailbox: null },
  self: { id: 'me', maxMessageBytes: 1000, permissions: { send: true, receive: true, remove: true, block: true } },
  closed: new Promise<never>(() => {}),
  claim: (options?: unknown) => ({ error: 'full' as const, message: `claimed with ${JSON.stringify(options)}` }),
  on: () => () => {},
}
const old: ServedPart<typeof broker> = {
  account: {
    info: () => ({ name: `${storageCalls} storage calls`, image: null, premium: false, premiumUntil: null }),
    login: () => {
      for (const listener of listeners) listener()
      return true
    },
    onChange: listener => {
      const tell = () => void listener()
      listeners.add(tell)
      return () => void listeners.delete(tell)
    },
  },
  cloud: { fetch: () => new Response('old'), fs: {} },
  rooms: { open: () => room as never },
  storage: {
    available: () => {
      storageCalls++
      return true
    },
    put: () => {
      storageCalls++
      return { error: 'unavailable', message: 'called' }
    },
  },
}
welcomeParent({ accept: (_identity, port) => openLink({ transport: portTransport(port), offers: { members: broker, value: old as never } }) })
