import { useRef, useState } from 'preact/hooks'
import { Demo } from '../kit/demo.tsx'
import { bytes as sizeOf } from '../kit/format.ts'
import { joined, type Face } from './bytes.ts'
import { FaceChoice, Bytes } from './face-choice.tsx'
import { ask } from './fetch-code.ts'
import { pages, places } from './places.ts'
import { Trouble } from './trouble.tsx'
import code from 'raw:./fetch-code.ts'

interface Answer {
  readonly status: string
  readonly url: string
  readonly redirected: boolean
  readonly node: string | null
  readonly headers: readonly (readonly [string, string])[]
  readonly headMs: number
  readonly wholeMs: number
  readonly shown: Uint8Array
  readonly length: number
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const mostShown = 16 * 1024
const drawEvery = 80

/** Lines of `name: value` as pairs. */
const pairsIn = (text: string): [string, string][] =>
  text
    .split('\n')
    .filter(line => line.includes(':'))
    .map(line => [line.slice(0, line.indexOf(':')).trim(), line.slice(line.indexOf(':') + 1).trim()])

/** A console for `cloud.fetch`. */
export function FetchConsole() {
  const [url, setUrl] = useState(places.url)
  const [method, setMethod] = useState('GET')
  const [headers, setHeaders] = useState('accept: */*')
  const [body, setBody] = useState('')
  const [redirect, setRedirect] = useState<RequestRedirect>('follow')
  const [spread, setSpread] = useState(false)
  const [answer, setAnswer] = useState<Answer | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [running, setRunning] = useState<AbortController | null>(null)
  const answerRef = useRef<Answer | null>(null)
  const carries = method !== 'GET' && method !== 'HEAD'

  const send = async (to: string) => {
    const controller = new AbortController()
    let drawnAt = 0
    const draw = (next: Answer | null, isLast = false) => {
      answerRef.current = next
      if (!isLast && performance.now() - drawnAt < drawEvery) return
      drawnAt = performance.now()
      setAnswer(next)
    }
    setUrl(to)
    setError(null)
    setRunning(controller)
    draw(null, true)
    try {
      const init = { method, headers: pairsIn(headers), redirect, spread, signal: controller.signal, ...(carries && body !== '' ? { body } : {}) }
      await ask(to, init, {
        head: (response, ms) => {
          const { status, statusText, url: from, redirected } = response
          const told = {
            status: `${status} ${statusText}`.trim(),
            url: from,
            redirected,
            node: response.headers.get('svc-node'),
            headers: [...response.headers],
          }
          draw({ ...told, headMs: ms, wholeMs: ms, shown: new Uint8Array(), length: 0 }, true)
        },
        body: (chunk, ms) => {
          const { current } = answerRef
          if (current === null) return
          const shown = current.length < mostShown ? joined(current.shown, chunk).subarray(0, mostShown) : current.shown
          draw({ ...current, shown, length: current.length + chunk.byteLength, wholeMs: ms })
        },
      })
    } catch (caught) {
      setError(caught)
    }
    setAnswer(answerRef.current)
    setRunning(null)
  }

  return (
    <Demo
      id="fetch"
      title="Fetch"
      lead="Any site, whether it knows of CORS or not: the request leaves from the tunnel’s node, and the answer streams back as it comes."
      code={code}
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          void send(url)
        }}
      >
        <div class="line">
          <label class="field method">
            <span>Method</span>
            <select value={method} onChange={event => setMethod(event.currentTarget.value)}>
              {methods.map(one => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
          <label class="field grow">
            <span>Url</span>
            <input required dir="ltr" spellcheck={false} autoComplete="off" value={url} onInput={event => setUrl(event.currentTarget.value)} />
          </label>
        </div>
        <details class="more">
          <summary>Headers, body, redirects</summary>
          <label class="field">
            <span>Headers, one a line</span>
            <textarea rows={2} dir="ltr" spellcheck={false} value={headers} onInput={event => setHeaders(event.currentTarget.value)} />
          </label>
          <label class="field">
            <span>Body</span>
            <textarea rows={3} dir="auto" disabled={!carries} value={body} onInput={event => setBody(event.currentTarget.value)} />
            {carries ? null : <small>{method} carries none.</small>}
          </label>
          <label class="field">
            <span>Redirects</span>
            <select value={redirect} onChange={event => setRedirect(event.currentTarget.value as RequestRedirect)}>
              <option value="follow">are followed</option>
              <option value="manual">are shown</option>
              <option value="error">are an error</option>
            </select>
          </label>
          <label class="check">
            <input type="checkbox" checked={spread} onChange={event => setSpread(event.currentTarget.checked)} />
            Any healthy node may do it (spread)
          </label>
        </details>
        <div class="row">
          <button class="primary" disabled={running !== null}>
            {running === null ? 'Send' : 'Under way…'}
          </button>
          <button type="button" disabled={running === null} onClick={() => running?.abort()}>
            Break off
          </button>
        </div>
      </form>
      <div class="row tries" role="group" aria-label="Try">
        {pages.map(([title, to]) => (
          <button key={title} class="small" disabled={running !== null} onClick={() => void send(to)}>
            {title}
          </button>
        ))}
      </div>
      <Trouble error={error} />
      {answer === null ? null : <AnswerView answer={answer} asked={url} isDone={running === null} />}
    </Demo>
  )
}

function AnswerView({ answer, asked, isDone }: { readonly answer: Answer; readonly asked: string; readonly isDone: boolean }) {
  const [face, setFace] = useState<Face>('text')
  const { status, url, redirected, node, headers, headMs, wholeMs, shown, length } = answer
  return (
    <section class="answer" aria-label="Answer">
      <p class="figures" role="status">
        <strong>{status}</strong> <span>head after {Math.round(headMs)} ms</span>{' '}
        <span>
          {sizeOf(length)} {isDone ? `after ${Math.round(wholeMs)} ms` : 'so far'}
        </span>{' '}
        <span>{node === null ? 'any node' : `node ${node}`}</span>
      </p>
      {redirected && url !== asked ? (
        <p class="hint">
          Led to <bdi dir="ltr">{url}</bdi>
        </p>
      ) : null}
      <details class="more">
        <summary>{headers.length === 1 ? '1 header' : `${headers.length} headers`}</summary>
        <dl>
          {headers.map(([name, value], at) => (
            <div key={at}>
              <dt>{name}</dt>
              <dd dir="ltr">{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      {length === 0 ? (
        <p class="hint">{isDone ? 'No body.' : 'The body is on its way.'}</p>
      ) : (
        <div class="transcript">
          <header>
            <FaceChoice face={face} onFace={setFace} />
          </header>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls can be scrolled by keyboard in every browser */}
          <div class="log" role="region" aria-label="Body" tabIndex={0}>
            <Bytes bytes={shown} face={face} />
            {length > shown.byteLength ? <p class="hint">… and {sizeOf(length - shown.byteLength)} more</p> : null}
          </div>
        </div>
      )}
    </section>
  )
}
