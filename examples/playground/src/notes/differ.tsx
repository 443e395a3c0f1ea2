import { useState } from 'preact/hooks'
import { Problem } from '../kit/demo.tsx'
import { differ } from './conflict-code.ts'
import { headline } from './note-text.ts'
import { type Note, pathOf } from './notes-code.ts'

/** A conflict made on purpose. */
export function Differ({ note, isKept, flush }: { readonly note: Note | undefined; readonly isKept: boolean; readonly flush: () => Promise<void> }) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const make = async () => {
    setBusy(true)
    setError(null)
    if (note !== undefined)
      await flush()
        .then(() => differ(pathOf(note.name)))
        .catch(setError)
    setBusy(false)
  }
  return (
    <section class="panel" aria-labelledby="conflict">
      <h2 id="conflict">Two devices, one note</h2>
      <p class="lead">
        When two devices change one note while they cannot see each other, nothing is overwritten: a card of the broker asks which one is kept. Whoever decides
        later keeps both, one as a copy. You need no second device to try it.
      </p>
      <button disabled={!isKept || note === undefined || busy} onClick={() => void make()}>
        {note === undefined ? 'Change a note on two devices' : `Change “${headline(note)}” on two devices`}
      </button>
      {isKept && note !== undefined ? null : <p class="hint">{isKept ? 'Open a note first.' : 'Sign in first, and wait until all is saved.'}</p>}
      <Problem error={error} />
    </section>
  )
}
