import { useEffect, useRef, useState } from 'preact/hooks'
import { Demo } from '../kit/demo.tsx'
import { AddressFields, type Address } from './address-fields.tsx'
import { places } from './places.ts'
import { SayForm } from './say-form.tsx'
import { dial } from './tcp-code.ts'
import { Traffic } from './traffic.tsx'
import { Transcript, useTranscript } from './transcript.tsx'
import { Trouble } from './trouble.tsx'
import code from 'raw:./tcp-code.ts'

type Socket = ReturnType<typeof dial>
/** `mine` and `theirs`: that half has ended. */
type State = 'closed' | 'connecting' | 'open' | 'mine' | 'theirs'

const words: Readonly<Record<State, string>> = {
  closed: 'Not connected.',
  connecting: 'Connecting…',
  open: 'Connected.',
  mine: 'Your half has ended; what they still say arrives.',
  theirs: 'Their half has ended; you may go on, or end yours.',
}
const first: Address = { host: places.tcp.host, port: String(places.tcp.port) }

/** A console on a raw TCP connection; `link` is an address it came with. */
export function TcpConsole({ link }: { readonly link: Address | null }) {
  const [address, setAddress] = useState(link ?? first)
  const [state, setState] = useState<State>('closed')
  const [error, setError] = useState<unknown>(null)
  const [socket, setSocket] = useState<Socket | null>(null)
  const transcript = useTranscript()
  const socketRef = useRef<Socket | null>(null)
  useEffect(() => () => void socketRef.current?.destroy(), [])
  useEffect(() => {
    if (link === null) return
    setAddress(link)
    document.getElementById('tcp')?.scrollIntoView()
  }, [link])

  const canSay = state === 'open' || state === 'theirs'
  const connect = () => {
    setError(null)
    setState('connecting')
    const { host, port } = address
    const made: Socket = dial(host, Number(port), {
      connected: () => {
        setState('open')
        transcript.note(`Connected to ${made.remoteAddress}:${made.remotePort}, from ${made.localAddress}:${made.localPort} of the node`)
      },
      data: bytes => transcript.say('them', bytes),
      ended: () => {
        setState(before => (before === 'open' ? 'theirs' : before))
        transcript.note('They ended their half.')
      },
      failed: setError,
      closed: () => {
        setState('closed')
        transcript.note('Closed')
      },
    })
    socketRef.current = made
    setSocket(made)
  }
  const say = (bytes: Uint8Array) => {
    socket?.write(bytes)
    transcript.say('me', bytes)
  }
  const endHalf = () => {
    socket?.end()
    setState(before => (before === 'open' ? 'mine' : before))
    transcript.note('You ended your half.')
  }
  const reset = () => {
    socket?.resetAndDestroy()
    transcript.note('You reset the connection.')
  }
  return (
    <Demo
      id="tcp"
      title="Raw TCP"
      lead="Redis, IRC, SMTP, anything that listens: bytes go to the node and from there to the host. Your broker asks you once."
      code={code}
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          connect()
        }}
      >
        <AddressFields address={address} disabled={state !== 'closed'} onAddress={setAddress} />
        <div class="row">
          <button class="primary" disabled={state !== 'closed'}>
            Connect
          </button>
          <button type="button" disabled={!canSay} onClick={endHalf}>
            End my half
          </button>
          <button type="button" class="danger" disabled={!canSay && state !== 'mine'} onClick={reset}>
            Reset
          </button>
        </div>
      </form>
      <p class="figures" role="status">
        <span>{words[state]}</span>
      </p>
      <Traffic of={socket} isLive={state !== 'closed'} />
      <Trouble error={error} />
      <Transcript view={transcript} label="What was said over TCP" />
      <SayForm disabled={!canSay} onSay={say} label="Line to send over TCP" />
    </Demo>
  )
}
