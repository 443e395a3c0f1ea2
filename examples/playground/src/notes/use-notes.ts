import { useEffect, useState } from 'preact/hooks'
import { changes, names, type Note, read } from './notes-code.ts'

/** The notes that are shown. */
export interface NotesView {
  /** The latest first; `null` until they are known. */
  readonly notes: readonly Note[] | null
  /** Notes the account has whose words have still to come. */
  readonly missing: number
  readonly error: unknown
}

/** All notes, kept current over tabs and devices. */
export function useNotes(): NotesView {
  const [view, setView] = useState<NotesView>({ notes: null, missing: 0, error: null })
  useEffect(() => {
    const over = new AbortController()
    let [isLoading, isStale] = [false, false]
    const load = async () => {
      isStale = true
      if (isLoading) return
      isLoading = true
      while (isStale && !over.signal.aborted) {
        isStale = false
        const next = await looked().catch((error: unknown) => ({ notes: null, missing: 0, error }))
        if (!over.signal.aborted) setView(before => ({ ...next, notes: next.notes ?? before.notes }))
      }
      isLoading = false
    }
    const follow = async () => {
      for await (const _ of changes(over.signal)) void load()
    }
    // It ends with the page.
    follow().catch(() => undefined)
    void load()
    return () => over.abort()
  }, [])
  return view
}

async function looked(): Promise<NotesView> {
  const outcomes = await Promise.allSettled((await names()).map(name => read(name)))
  const notes = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' && outcome.value !== undefined ? [outcome.value] : []))
  const missing = outcomes.filter(({ status }) => status === 'rejected').length
  return { notes: notes.toSorted((one, other) => other.changed - one.changed), missing, error: null }
}
