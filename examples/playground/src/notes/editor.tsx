import { useEffect, useRef, useState } from 'preact/hooks'
import { Problem } from '../kit/demo.tsx'
import { bytes, moment } from '../kit/format.ts'
import { downloadName, headline, written } from './note-text.ts'
import { changes, remove } from './notes-code.ts'
import { type Draft, writingOf, type Writing } from './writing.ts'

interface EditorProps {
  readonly name: string
  /** Whether the title gets the focus. */
  readonly isNew: boolean
  readonly onOpen: (name: string | null) => void
  /** Told how to save what is not saved yet, for as long as the editor is open. */
  readonly onWriting: (writing: Writing | null) => void
}

/** One note: a title, a text, saved as one writes. */
export function Editor({ name, isNew, onOpen, onWriting }: EditorProps) {
  const [draft, setDraft] = useState<Draft | null>(null)
  const [writing, setWriting] = useState<Writing | null>(null)
  const titleRef = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const over = new AbortController()
    const { signal } = over
    const own = writingOf(name, { show: next => !signal.aborted && setDraft(next), onGone: () => !signal.aborted && onOpen(null) })
    setWriting(own)
    onWriting(own)
    const leave = () => void own.flush()
    addEventListener('pagehide', leave, { signal })
    document.addEventListener('visibilitychange', leave, { signal })
    const follow = async () => {
      for await (const changed of changes(signal)) if (changed === name) void own.follow()
    }
    // It ends with the editor.
    follow().catch(() => undefined)
    return () => {
      onWriting(null)
      void own.flush()
      over.abort()
    }
  }, [name, onOpen, onWriting])
  const isOpen = draft?.stored != null
  useEffect(() => {
    if (isOpen && isNew) titleRef.current?.focus()
  }, [isOpen, isNew])

  if (draft === null || writing === null || !isOpen)
    return (
      <div class="editor">
        <p class="empty">Opening…</p>
        <Problem error={draft?.error} />
      </div>
    )
  const { stored, clash } = draft
  return (
    <form class="editor" aria-label="Note" onSubmit={event => event.preventDefault()}>
      <input
        ref={titleRef}
        class="title"
        aria-label="Title"
        placeholder="Title"
        maxLength={200}
        autoComplete="off"
        value={draft.title}
        onInput={event => writing.edit({ title: event.currentTarget.value })}
        onBlur={() => void writing.flush()}
      />
      {clash === null ? null : <Clash clash={clash} writing={writing} onOpen={onOpen} />}
      <textarea
        aria-label="Text"
        placeholder="Write. It is saved as you go."
        value={draft.text}
        onInput={event => writing.edit({ text: event.currentTarget.value })}
        onBlur={() => void writing.flush()}
      />
      <div class="row foot-row">
        <span class="status">{stored === null ? null : `${bytes(stored.size)} · ${moment(stored.changed)}`}</span>
        <button type="button" class="small" onClick={() => download(draft)}>
          Download
        </button>
        <Delete key={name} title={headline(draft)} onDelete={() => remove(name).then(() => onOpen(null))} />
      </div>
      <Problem error={draft.error} />
    </form>
  )
}

function Clash({
  clash,
  writing,
  onOpen,
}: {
  readonly clash: NonNullable<Draft['clash']>
  readonly writing: Writing
  readonly onOpen: (name: string | null) => void
}) {
  const keep = async () => {
    const name = await writing.keepMine()
    if (name !== null) onOpen(name)
  }
  return (
    <div class="clash" role="alert">
      <p>
        {clash === 'gone'
          ? 'This note is not here any more: it was removed elsewhere, or another account is shown now. What you see was not saved.'
          : 'This note was changed elsewhere while you wrote. What you see was not saved.'}
      </p>
      {clash === 'gone' ? null : <blockquote>{headline({ title: '', text: clash.text })}</blockquote>}
      <div class="row">
        <button type="button" class="small primary" onClick={() => void keep()}>
          {clash === 'gone' ? 'Keep it as a new note' : 'Keep mine'}
        </button>
        <button type="button" class="small" onClick={() => writing.keepTheirs()}>
          {clash === 'gone' ? 'Let it go' : 'Take theirs'}
        </button>
      </div>
    </div>
  )
}

function Delete({ title, onDelete }: { readonly title: string; readonly onDelete: () => Promise<void> }) {
  const [isSure, setSure] = useState(false)
  return (
    <button
      type="button"
      class="small danger"
      aria-label={isSure ? `Really delete ${title}?` : `Delete ${title}`}
      onClick={() => (isSure ? void onDelete() : setSure(true))}
      onBlur={() => setSure(false)}
    >
      {isSure ? 'Really delete?' : 'Delete'}
    </button>
  )
}

function download(draft: Draft): void {
  const url = URL.createObjectURL(new Blob([written(draft)], { type: 'text/markdown' }))
  Object.assign(document.createElement('a'), { href: url, download: downloadName(draft) }).click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
