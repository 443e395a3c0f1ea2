/** A broker of an earlier revision: it cannot pin, and tells of account changes without a payload. Bundled for its own origin by tests. */
import { openLink, portTransport, welcomeParent } from '@deputy/channel'
import { broker } from '@deputy/contract/broker'
import type { ServedPart } from '@deputy/contract/shape'

const listeners = new Set<() => void>()
let storageCalls = 0
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
