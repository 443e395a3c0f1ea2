import { useCallback, useRef, useState } from 'preact/hooks'
import { useSession } from '../account/session.tsx'
import { Code, Problem } from '../kit/demo.tsx'
import { Differ } from './differ.tsx'
import { Editor } from './editor.tsx'
import { List } from './list.tsx'
import { make } from './notes-code.ts'
import { Recovery } from './recovery.tsx'
import { ServerView } from './server-view.tsx'
import { Standing, useStanding } from './standing.tsx'
import { useNotes } from './use-notes.ts'
import type { Writing } from './writing.ts'
import './notes.css'
import conflictCode from 'raw:./conflict-code.ts'
import notesCode from 'raw:./notes-code.ts'
import serverCode from 'raw:./server-code.ts'
import standingCode from 'raw:./standing-code.ts'

const code = [
  ['Read, write, follow', notesCode],
  ['Sign in, unlock, take over', standingCode],
  ['A conflict', conflictCode],
  ['What the server counts', serverCode],
] as const

/** Notes that are written here first, signed in or not, and follow the account. */
export function NotesPage() {
  const session = useSession()
  const status = useStanding()
  const { notes, missing, error } = useNotes()
  const [open, setOpen] = useState<{ readonly name: string; readonly isNew: boolean } | null>(null)
  const [problem, setProblem] = useState<unknown>(null)
  const writingRef = useRef<Writing | null>(null)
  const show = useCallback((name: string | null) => setOpen(name === null ? null : { name, isNew: false }), [])
  const wrote = useCallback((writing: Writing | null) => void (writingRef.current = writing), [])
  const flush = async () => writingRef.current?.flush()
  const isKept = status?.account === 'connected' && status.pending === 0 && status.state !== 'locked' && status.state !== 'offline'
  const add = () =>
    make({ title: '', text: '' }).then(
      name => setOpen({ name, isNew: true }),
      (caught: unknown) => setProblem(caught),
    )
  const isLocked = status?.state === 'locked'
  return (
    <>
      <p class="welcome">
        Written in this browser first, with or without an account, with or without a network. Once you sign in, they are sealed and follow you to every device.
      </p>
      <section class="notes" aria-label="Your notes">
        <Standing status={status} session={session} flush={flush} />
        <div class={`pages${open === null ? '' : ' at-one'}`}>
          <div class="shelf">
            <button class="primary add" onClick={() => void add()}>
              New note
            </button>
            {notes?.length === 0 ? (
              <p class="empty">{isLocked ? 'Your notes are locked. Unlock them, or begin a new one: it waits here until then.' : 'No notes yet.'}</p>
            ) : null}
            {notes === null && error === null ? <p class="empty">Looking…</p> : null}
            <List notes={notes ?? []} open={open?.name ?? null} onOpen={show} />
            {missing === 0 ? null : <p class="hint">{missing === 1 ? '1 note' : `${missing} notes`} of your account could not be opened here yet.</p>}
            <Problem error={error ?? problem} />
          </div>
          <div class="desk">
            {open === null ? (
              <p class="empty nothing">Choose a note, or begin one.</p>
            ) : (
              <>
                <button class="small back" onClick={() => setOpen(null)}>
                  All notes
                </button>
                <Editor key={open.name} {...open} onOpen={show} onWriting={wrote} />
              </>
            )}
          </div>
        </div>
      </section>
      <div class="asides">
        <ServerView notes={notes ?? []} isKept={isKept} />
        <Differ note={notes?.find(({ name }) => name === open?.name)} isKept={isKept} flush={flush} />
        <Recovery />
      </div>
      <section class="codes" aria-label="The code">
        {code.map(([title, text]) => (
          <Code key={title} title={title} code={text} />
        ))}
      </section>
    </>
  )
}
