/** The framed document of the suite: serves the peer to the page that frames it, and its workers. */
import { openLink, portTransport, welcomeParent, type Link } from '@deputy/channel'
import { peer, servePeer } from './peer.ts'

let links = 0
const open = (port: MessagePort): Link => {
  const value = servePeer(
    () => link,
    () => links,
  )
  const link: Link = openLink({ transport: portTransport(port), offers: { members: peer, value }, fork: open, fault: () => {} })
  links++
  void link.closed.then(() => links--)
  return link
}
welcomeParent({ accept: (_identity, port) => open(port) })
