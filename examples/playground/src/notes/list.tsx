import { day, clock } from '../kit/format.ts'
import { headline, isCopy } from './note-text.ts'
import type { Note } from './notes-code.ts'

/** All notes, the latest first. */
export function List({ notes, open, onOpen }: { readonly notes: readonly Note[]; readonly open: string | null; readonly onOpen: (name: string) => void }) {
  return (
    <ul class="leaves" aria-label="Notes">
      {notes.map(note => (
        <li key={note.name}>
          <button type="button" aria-current={note.name === open ? 'true' : undefined} onClick={() => onOpen(note.name)}>
            <span class="headline">{headline(note)}</span>
            {isCopy(note.name) ? <span class="badge">copy</span> : null}
            <span class="glance">
              <time dateTime={new Date(note.changed).toISOString()}>{day(note.changed) === 'Today' ? clock(note.changed) : day(note.changed)}</time>{' '}
              {note.text.trim().slice(0, 90)}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}
