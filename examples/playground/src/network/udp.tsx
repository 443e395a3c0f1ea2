import { useEffect, useRef, useState } from 'preact/hooks'
import { Demo } from '../kit/demo.tsx'
import { AddressFields } from './address-fields.tsx'
import { places } from './places.ts'
import { Trouble } from './trouble.tsx'
import { open, ping } from './udp-code.ts'
import code from 'raw:./udp-code.ts'

interface Shot {
  readonly nth: number
  /** Undefined while it is waited for, null when nothing came. */
  readonly answer: { readonly answer: string; readonly ms: number } | null | undefined
}

const rounds = 5
const patience = 2000

/** Sends datagrams and tells what came back, and how long it took. */
export function UdpEcho() {
  const [address, setAddress] = useState({ host: places.udp.host, port: String(places.udp.port) })
  const [text, setText] = useState('hello')
  const [shots, setShots] = useState<readonly Shot[]>([])
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const socketRef = useRef<ReturnType<typeof open> | null>(null)
  useEffect(() => () => void socketRef.current?.close(), [])

  const send = async () => {
    setBusy(true)
    setError(null)
    setShots([])
    try {
      socketRef.current ??= open().on('close', () => (socketRef.current = null))
      for (let nth = 1; nth <= rounds; nth++) {
        setShots(before => [...before, { nth, answer: undefined }])
        const answer = await ping(socketRef.current, address.host, Number(address.port), `${nth} ${text}`, patience)
        setShots(before => before.map(shot => (shot.nth === nth ? { nth, answer } : shot)))
      }
    } catch (caught) {
      setError(caught)
      setShots([])
    }
    setBusy(false)
  }
  const times = shots.flatMap(({ answer }) => (answer ? [answer.ms] : []))
  return (
    <Demo
      id="udp"
      title="UDP echo"
      lead="Datagrams to a host that sends them back, one after another. What is lost on the way is lost, as everywhere."
      code={code}
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          void send()
        }}
      >
        <AddressFields address={address} disabled={busy} onAddress={setAddress} />
        <label class="field">
          <span>What to send</span>
          <input required dir="auto" autoComplete="off" value={text} onInput={event => setText(event.currentTarget.value)} />
        </label>
        <button class="primary" disabled={busy}>
          Send {rounds}
        </button>
      </form>
      <Trouble error={error} />
      {shots.length === 0 ? null : (
        <table class="shots">
          <thead>
            <tr>
              <th scope="col">Datagram</th>
              <th scope="col">Answer</th>
              <th scope="col" class="number">
                Round trip
              </th>
            </tr>
          </thead>
          <tbody>
            {shots.map(({ nth, answer }) => (
              <tr key={nth}>
                <th scope="row">{nth}</th>
                <td>
                  <bdi>{answer === undefined ? '…' : answer === null ? `Nothing came within ${patience / 1000} s` : answer.answer}</bdi>
                </td>
                <td class="number">{answer ? `${answer.ms.toFixed(1)} ms` : '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="figures" role="status">
        {busy || times.length === 0 ? null : (
          <span>
            {times.length} of {shots.length} came back, the fastest after {Math.min(...times).toFixed(1)} ms
          </span>
        )}
      </p>
    </Demo>
  )
}
