import { useMemo } from 'preact/hooks'
import { Session, useSession } from '../account/session.tsx'
import type { Address } from './address-fields.tsx'
import { DnsTool } from './dns.tsx'
import { FetchConsole } from './fetch.tsx'
import { Listener } from './listen.tsx'
import { TcpConsole } from './tcp.tsx'
import { Throughput } from './throughput.tsx'
import { SignedIn } from './trouble.tsx'
import { UdpEcho } from './udp.tsx'
import { Usage } from './usage.tsx'
import './network.css'

const tools = [
  ['fetch', 'Fetch'],
  ['dns', 'Names'],
  ['tcp', 'Raw TCP'],
  ['udp', 'UDP echo'],
  ['listen', 'Listen'],
  ['throughput', 'How fast'],
  ['usage', 'What you have used'],
] as const

/** The address a link names: `connect=host:port`. */
function addressIn(fragment: string): Address | null {
  const [, six, four, port] = /^connect=(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(fragment) ?? []
  const host = six ?? four
  return host === undefined || port === undefined ? null : { host, port }
}

/** What a page reaches through the tunnel of its person’s account. */
export function NetworkPage({ fragment }: { readonly fragment: string }) {
  const session = useSession()
  const link = useMemo(() => addressIn(fragment), [fragment])
  const isSignedIn = session.status === 'signed-in'
  return (
    <SignedIn.Provider value={isSignedIn}>
      <p class="welcome">
        A page cannot open a socket, listen, or read what a site does not share with it. Through the tunnel of your account it can: from the address of the
        tunnel’s node, which reaches public hosts alone. The node sees what passes through it, https fetches too, since it makes them; nothing of this is sealed
        unless both ends do it.
        {DEMO_PEER === null ? '' : ' On this machine a small peer runs for it to talk to.'}
      </p>
      <nav class="tools" aria-label="Tools">
        {tools.map(([id, title]) => (
          <a key={id} href={`#${id}`}>
            {title}
          </a>
        ))}
      </nav>
      <Session {...session} />
      <FetchConsole />
      <DnsTool />
      <TcpConsole link={link} />
      <UdpEcho />
      <Listener />
      <Throughput />
      <Usage enabled={isSignedIn} />
    </SignedIn.Provider>
  )
}
