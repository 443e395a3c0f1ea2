import { useEffect, useRef, useState } from 'preact/hooks'
import { Demo } from '../kit/demo.tsx'
import { bytes as sizeOf } from '../kit/format.ts'
import { places } from './places.ts'
import { Plot, rate } from './plot.tsx'
import { move, type Way } from './throughput-code.ts'
import { Trouble } from './trouble.tsx'
import code from 'raw:./throughput-code.ts'

const ways: readonly (readonly [way: Way, label: string])[] = [
  ['down-url', 'Down, from a url'],
  ['up-url', 'Up, to a url'],
  ['down-tcp', 'Down, from a TCP port that talks'],
  ['up-tcp', 'Up, to a TCP port that listens'],
]
const everyMs = 250
const longestMs = 10_000
/** Samples that make up what is told as now. */
const recent = 4

/** How fast bytes go through the tunnel, seen while they do. */
export function Throughput() {
  const [way, setWay] = useState<Way>('down-url')
  const [where, setWhere] = useState(places['down-url'])
  const [samples, setSamples] = useState<readonly number[]>([])
  const [running, setRunning] = useState<AbortController | null>(null)
  const [error, setError] = useState<unknown>(null)
  const runningRef = useRef<AbortController | null>(null)
  useEffect(() => () => runningRef.current?.abort(), [])

  const start = async () => {
    const controller = new AbortController()
    runningRef.current = controller
    setRunning(controller)
    setError(null)
    setSamples([])
    let counted = 0
    let at = performance.now()
    const began = at
    const sample = () => {
      const now = performance.now()
      const speed = (counted / (now - at)) * 1000
      counted = 0
      at = now
      setSamples(before => [...before, speed])
      if (now - began > longestMs) controller.abort()
    }
    const timer = setInterval(sample, everyMs)
    try {
      await move(way, where, bytes => (counted += bytes), controller.signal)
    } catch (caught) {
      if (!controller.signal.aborted) setError(caught)
    }
    clearInterval(timer)
    if (performance.now() - at > everyMs / 5) sample()
    setRunning(null)
  }
  const mean = samples.reduce((sum, speed) => sum + speed, 0) / Math.max(1, samples.length)
  const last = samples.slice(-recent)
  const now = last.reduce((sum, speed) => sum + speed, 0) / Math.max(1, last.length)
  const isUrl = way.endsWith('url')
  return (
    <Demo id="throughput" title="How fast" lead="Bytes through the tunnel for up to ten seconds. All of them count as your account’s use." code={code}>
      <form
        onSubmit={event => {
          event.preventDefault()
          void start()
        }}
      >
        <label class="field">
          <span>Which way</span>
          <select
            value={way}
            disabled={running !== null}
            onChange={event => {
              const next = event.currentTarget.value as Way
              setWay(next)
              setWhere(places[next])
            }}
          >
            {ways.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>{isUrl ? 'Url to measure' : 'Host and port'}</span>
          <input
            required
            dir="ltr"
            spellcheck={false}
            autoComplete="off"
            disabled={running !== null}
            pattern={isUrl ? undefined : '.+:[0-9]{1,5}'}
            value={where}
            onInput={event => setWhere(event.currentTarget.value.trim())}
          />
        </label>
        <div class="row">
          <button class="primary" disabled={running !== null}>
            Measure
          </button>
          <button type="button" disabled={running === null} onClick={() => running?.abort()}>
            Enough
          </button>
        </div>
      </form>
      <Trouble error={error} />
      {samples.length === 0 ? null : (
        <>
          <Plot samples={samples} everyMs={everyMs} wholeMs={longestMs} />
          <p class="figures">
            <span>
              now <strong>{rate(now)}</strong>
            </span>{' '}
            <span>
              mean <strong>{rate(mean)}</strong>
            </span>{' '}
            <span>{sizeOf((mean * samples.length * everyMs) / 1000)} in all</span>
          </p>
        </>
      )}
      <p class="unseen" role="status">
        {running === null && samples.length > 0 ? `Measured: ${rate(mean)} on average` : ''}
      </p>
    </Demo>
  )
}
