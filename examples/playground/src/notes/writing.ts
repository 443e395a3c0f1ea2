import { FsError } from '@deputy/client/fs'
import { make, type Note, read, save } from './notes-code.ts'
import { isSame, type Words } from './note-text.ts'

/** What the editor shows of one note. */
export interface Draft extends Words {
  /** The note as it is stored, as far as this editor knows; `null` while it is being opened. */
  readonly stored: Note | null
  /** Another state of the note met while there were words to save: the note, or `gone` when there is none any more. Nothing is saved until somebody has decided. */
  readonly clash: Note | 'gone' | null
  readonly error: unknown
}

/** One note being written: one read or write at a time, and never on top of words that were not shown. */
export interface Writing {
  edit(change: Partial<Words>): void
  /** Saves what is not saved yet. */
  flush(): Promise<void>
  /** Looks whether another tab or device has changed the note. */
  follow(): Promise<void>
  /** Decides a clash: what is here is kept, in place of theirs; a note that is gone becomes a new one, whose name is answered. */
  keepMine(): Promise<string | null>
  keepTheirs(): void
}

/** Milliseconds without a key pressed until the words are saved. */
const PAUSE = 250

/** Opens a note for writing. `onGone` is called when it was removed while there was nothing to save. */
export function writingOf(name: string, { show, onGone }: { readonly show: (draft: Draft) => void; readonly onGone: () => void }): Writing {
  let draft: Draft = { title: '', text: '', stored: null, clash: null, error: null }
  let queue: Promise<void> = Promise.resolve()
  let timer: ReturnType<typeof setTimeout> | undefined
  const set = (change: Partial<Draft>) => {
    draft = { ...draft, ...change }
    show(draft)
  }
  const inTurn = (run: () => Promise<void>): Promise<void> => {
    queue = queue.then(run).then(
      () => (draft.error === null ? undefined : set({ error: null })),
      (error: unknown) => set({ error }),
    )
    return queue
  }
  const take = (stored: Note) => set({ stored, title: stored.title, text: stored.text, clash: null })
  const isDirty = () => draft.stored !== null && !isSame(draft, draft.stored)

  const meet = (found: Note | undefined) => {
    if (found !== undefined && isSame(found, draft)) set({ stored: found, clash: null })
    else set({ clash: found ?? 'gone' })
  }
  const put = async () => {
    while (isDirty() && draft.clash === null) {
      const { title, text } = draft
      try {
        await save(name, { title, text }, draft.stored?.version ?? '')
      } catch (error) {
        if (!(error instanceof FsError) || error.code !== 'CONFLICT') throw error
        meet(await read(name))
        return
      }
      const found = await read(name)
      if (found === undefined || !isSame(found, { title, text })) meet(found)
      else set({ stored: found })
    }
  }
  const flush = () => {
    clearTimeout(timer)
    return inTurn(put)
  }
  const follow = () =>
    inTurn(async () => {
      const found = await read(name)
      if (draft.clash !== null) meet(found)
      else if (isDirty()) return
      else if (found === undefined) onGone()
      else if (found.version !== draft.stored?.version) take(found)
    })
  void follow()

  return {
    edit: change => {
      set(change)
      clearTimeout(timer)
      timer = setTimeout(() => void flush(), PAUSE)
    },
    flush,
    follow,
    keepMine: async () => {
      if (draft.clash === 'gone') return make(draft)
      set({ stored: draft.clash, clash: null })
      await flush()
      return null
    },
    keepTheirs: () => {
      if (draft.clash === 'gone') onGone()
      else if (draft.clash !== null) take(draft.clash)
    },
  }
}
