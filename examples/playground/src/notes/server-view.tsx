import { useEffect, useState } from 'preact/hooks'
import { Problem } from '../kit/demo.tsx'
import { bytes, moment } from '../kit/format.ts'
import { headline } from './note-text.ts'
import type { Note } from './notes-code.ts'
import { counted, sealedSize } from './server-code.ts'

type Counted = Awaited<ReturnType<typeof counted>>

/** What the server knows of the notes, beside what one knows oneself. */
export function ServerView({ notes, isKept }: { readonly notes: readonly Note[]; readonly isKept: boolean }) {
  const [count, setCount] = useState<Counted | null>(null)
  const [error, setError] = useState<unknown>(null)
  const states = notes.map(({ version }) => version).join()
  useEffect(() => {
    setCount(null)
    setError(null)
    if (!isKept) return
    let current = true
    counted().then(
      found => current && setCount(found),
      caught => current && setError(caught),
    )
    return () => void (current = false)
  }, [isKept, states])
  return (
    <section class="panel" aria-labelledby="server-sees">
      <h2 id="server-sees">What the server sees</h2>
      <p class="lead">
        A note is sealed in this browser. Its title, its text, its type and the name of its file are sealed with it; the server gets bytes, how many they are,
        and when.
      </p>
      {notes.length === 0 ? (
        <p class="empty">Nothing: there are no notes yet.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">You</th>
              <th scope="col">The server</th>
              <th scope="col" class="number">
                Sealed
              </th>
            </tr>
          </thead>
          <tbody>
            {notes.slice(0, 8).map(note => (
              <tr key={note.name}>
                <th scope="row">{headline(note)}</th>
                <td>{isKept ? `43 characters, made with a key of yours · ${moment(note.changed)}` : 'nothing: it is kept in this browser'}</td>
                <td class="number">{isKept ? bytes(sealedSize(note.size)) : '0'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {notes.length > 8 ? <p class="hint">And {notes.length - 8} more.</p> : null}
      {count === null ? null : (
        <p class="counted">
          The server counts <strong>{count.files === 1 ? '1 file' : `${count.files} files`}</strong> and <strong>{bytes(count.usedBytes)}</strong> of{' '}
          {bytes(count.limitBytes)} for your account. <a href={`${BROKER_ORIGIN}/account#files`}>See the same in your account</a>
        </p>
      )}
      <Problem error={error} />
    </section>
  )
}
