import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { bytes as sizeOf } from '../kit/format.ts'
import { joined, type Face } from './bytes.ts'
import { Bytes, FaceChoice } from './face-choice.tsx'

interface Line {
  readonly key: number
  readonly from: 'me' | 'them' | 'note'
  /** Which of several connections. */
  readonly who: string
  readonly text: string
  /** The first bytes of what was said, and how many it was. */
  readonly shown: Uint8Array
  readonly length: number
}

/** What was said on connections, kept current. */
export interface TranscriptView {
  readonly lines: readonly Line[]
  say(from: 'me' | 'them', bytes: Uint8Array, who?: string): void
  note(text: string, who?: string): void
  clear(): void
}

const mostLines = 200
const mostShown = 2048
const nothing = new Uint8Array()
const names = { me: 'Sent', them: 'Received' } as const
let keys = 0

/** Keeps the newest lines. What comes faster than it can be drawn is joined. */
export function useTranscript(): TranscriptView {
  const [lines, setLines] = useState<readonly Line[]>([])
  const waitingRef = useRef<Line[]>([])
  const plannedRef = useRef(false)
  const add = useCallback((line: Omit<Line, 'key'>) => {
    const waiting = waitingRef.current
    const last = waiting.at(-1)
    if (last?.from === line.from && last.who === line.who && line.from !== 'note') {
      const shown = last.shown.byteLength >= mostShown ? last.shown : joined(last.shown, line.shown).subarray(0, mostShown)
      waiting[waiting.length - 1] = { ...last, shown, length: last.length + line.length }
    } else waiting.push({ ...line, key: (keys += 1) })
    if (plannedRef.current) return
    plannedRef.current = true
    setTimeout(() => {
      plannedRef.current = false
      const fresh = waitingRef.current
      waitingRef.current = []
      setLines(before => [...before, ...fresh].slice(-mostLines))
    }, 50)
  }, [])
  const say = useCallback(
    (from: 'me' | 'them', bytes: Uint8Array, who = '') => add({ from, who, text: '', shown: bytes.slice(0, mostShown), length: bytes.byteLength }),
    [add],
  )
  const note = useCallback((text: string, who = '') => add({ from: 'note', who, text, shown: nothing, length: 0 }), [add])
  const clear = useCallback(() => setLines([]), [])
  return { lines, say, note, clear }
}

/** What was said, newest below, as text or in hex. */
export function Transcript({ view, label }: { readonly view: TranscriptView; readonly label: string }) {
  const [face, setFace] = useState<Face>('text')
  const logRef = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => logRef.current?.scrollTo({ top: logRef.current.scrollHeight }), [view.lines, face])
  return (
    <div class="transcript">
      <header>
        <FaceChoice face={face} onFace={setFace} />
        <button class="small" disabled={view.lines.length === 0} onClick={view.clear}>
          Clear
        </button>
      </header>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls can be scrolled by keyboard in every browser */}
      <div class="log" ref={logRef} role="log" aria-label={label} tabIndex={0}>
        {view.lines.length === 0 ? <p class="empty">Nothing was said yet.</p> : null}
        {view.lines.map(line =>
          line.from === 'note' ? (
            <p key={line.key} class="note">
              {line.who === '' ? null : <b>{line.who}</b>} {line.text}
            </p>
          ) : (
            <div key={line.key} class={`said ${line.from}`}>
              <span class="way">
                <span aria-hidden="true">{line.from === 'me' ? '▲' : '▼'}</span>
                <span class="unseen">{names[line.from]}</span> {line.who}
              </span>
              <div>
                <Bytes bytes={line.shown} face={face} />
                {line.length > line.shown.byteLength ? <p class="hint">… and {sizeOf(line.length - line.shown.byteLength)} more</p> : null}
              </div>
            </div>
          ),
        )}
      </div>
    </div>
  )
}
