import { test } from 'node:test'
import { openLink, portTransport, type Link } from '@deputy/channel'
import { channelCases } from './cases.ts'
import { peer, servePeer } from './peer.ts'

for (const { name, run } of channelCases) {
  test(`loopback: ${name}`, async () => {
    const { port1, port2 } = new MessageChannel()
    const far: Link = openLink({ transport: portTransport(port1), offers: { members: peer, value: servePeer(() => far) }, fault: () => {} })
    const link = openLink({ transport: portTransport(port2), wants: peer })
    try {
      await run({ remote: await link.remote, link })
    } finally {
      link.close()
    }
  })
}
