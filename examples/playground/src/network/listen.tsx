import { useEffect, useRef, useState } from 'preact/hooks'
import { Demo } from '../kit/demo.tsx'
import { listen } from './listen-code.ts'
import { SayForm } from './say-form.tsx'
import { Transcript, useTranscript } from './transcript.tsx'
import { Trouble } from './trouble.tsx'
import code from 'raw:./listen-code.ts'

type Server = ReturnType<typeof listen>
type Socket = Parameters<Parameters<typeof listen>[1]['connection']>[0]

const addressOf = (host: string, port: number): string => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)

/** A listener that others, another tab among them, connect to. */
export function Listener() {
  const [port, setPort] = useState('')
  const [at, setAt] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [live, setLive] = useState<ReadonlyMap<string, Socket>>(new Map())
  const transcript = useTranscript()
  const serverRef = useRef<Server | null>(null)
  const socketsRef = useRef(new Set<Socket>())
  const countRef = useRef(0)
  const stop = () => {
    serverRef.current?.close()
    for (const socket of socketsRef.current) socket.destroy()
  }
  useEffect(() => stop, [])

  const take = (socket: Socket) => {
    const who = `#${(countRef.current += 1)}`
    socketsRef.current.add(socket)
    setLive(before => new Map(before).set(who, socket))
    transcript.note(`${addressOf(socket.remoteAddress ?? '', socket.remotePort ?? 0)} connected`, who)
    socket.on('data', (bytes: Uint8Array) => transcript.say('them', bytes, who))
    socket.on('end', () => {
      transcript.note('ended their half', who)
      socket.end()
    })
    socket.on('error', ({ code: why }: Error & { code?: string }) => transcript.note(`failed with ${why ?? 'an error'}`, who))
    socket.on('close', () => {
      socketsRef.current.delete(socket)
      setLive(before => new Map([...before].filter(([one]) => one !== who)))
      transcript.note('is closed', who)
    })
  }
  const start = () => {
    setBusy(true)
    setError(null)
    serverRef.current = listen(Number(port), {
      listening: (host, taken) => {
        setBusy(false)
        setAt(addressOf(host, taken))
        transcript.note(`Listening at ${addressOf(host, taken)} of the node`)
      },
      connection: take,
      failed: caught => {
        setBusy(false)
        setAt(null)
        setError(caught)
      },
      closed: () => {
        setBusy(false)
        setAt(null)
        transcript.note('Nobody listens any more')
      },
    })
  }
  const say = (bytes: Uint8Array) => {
    for (const socket of live.values()) socket.write(bytes)
    transcript.say('me', bytes)
  }
  return (
    <Demo
      id="listen"
      title="A page that listens"
      lead="The node accepts connections for this page. Open the link in another tab, and the two talk."
      code={code}
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          start()
        }}
      >
        <label class="field short">
          <span>Port</span>
          <input
            dir="ltr"
            inputMode="numeric"
            pattern="[0-9]{0,5}"
            placeholder="any that is free"
            autoComplete="off"
            disabled={at !== null}
            value={port}
            onInput={event => setPort(event.currentTarget.value.trim())}
          />
        </label>
        <div class="row">
          <button class="primary" disabled={busy || at !== null}>
            Listen
          </button>
          <button type="button" disabled={at === null} onClick={stop}>
            Stop
          </button>
        </div>
      </form>
      <p class="figures" role="status">
        {at === null ? (
          'Nobody can connect.'
        ) : (
          <>
            <strong dir="ltr">{at}</strong> <span>{live.size === 1 ? '1 connection' : `${live.size} connections`}</span>
          </>
        )}
      </p>
      {at === null ? null : <Link at={at} />}
      <Trouble error={error} tried="listen" />
      <Transcript view={transcript} label="What was said to the listener" />
      <SayForm disabled={live.size === 0} onSay={say} label="Line to send to whoever is connected" />
    </Demo>
  )
}

function Link({ at }: { readonly at: string }) {
  const [copied, setCopied] = useState<'no' | 'yes' | 'denied'>('no')
  const link = `${location.origin}/network#connect=${at}`
  const copy = () => {
    navigator.clipboard.writeText(link).then(
      () => setCopied('yes'),
      () => setCopied('denied'),
    )
  }
  return (
    <div class="row link">
      <a href={link} target="_blank" rel="noopener" dir="ltr">
        {link}
      </a>
      <button class="small" onClick={copy}>
        {copied === 'yes' ? 'Copied' : 'Copy link'}
      </button>
      <span class="status" role="status">
        {copied === 'denied' ? 'The browser does not let this page copy: open the link, or select it.' : ''}
      </span>
    </div>
  )
}
