/** The framed document of the suite: serves the peer to the page that frames it, and its workers. */
import { openLink, portTransport, welcomeParent, type Link } from '@deputy/channel'
import { peer, servePeer } from './peer.ts'

const open = (port: MessagePort): Link => {
  const link: Link = openLink({ transport: portTransport(port), offers: { members: peer, value: servePeer(() => link) }, fork: open, fault: () => {} })
  return link
}
welcomeParent({ accept: (_identity, port) => open(port) })
