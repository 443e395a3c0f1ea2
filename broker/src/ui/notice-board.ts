import type { ShownNotice } from './notices.tsx'

/** The lines shown now. */
export interface NoticeBoard {
  readonly notices: readonly ShownNotice[]
  /** Shows a line for a while. */
  pass(notice: Omit<ShownNotice, 'id'>): void
  /** Shows a line until what this answers is called, or the person closes it. */
  stay(notice: Omit<ShownNotice, 'id'>): () => void
  dismiss(id: number): void
  onChange(listener: () => void): () => void
}

const perCharacter = 80
const least = 6000

/** An empty board. A passing line stays as long as it takes to read it, and longer while the page is hidden or what `covered` tells of stands before it. */
export function noticeBoard(covered: () => boolean): NoticeBoard {
  let notices: readonly ShownNotice[] = []
  let count = 0
  const listeners = new Set<() => void>()
  const set = (next: readonly ShownNotice[]): void => {
    notices = next
    for (const listener of [...listeners]) listener()
  }
  const add = (notice: Omit<ShownNotice, 'id'>): number => {
    count += 1
    set([...notices.filter(({ text }) => text !== notice.text), { ...notice, id: count }].slice(-3))
    return count
  }
  const dismiss = (id: number): void => set(notices.filter(notice => notice.id !== id))
  const later = (id: number, ms: number): void => {
    setTimeout(() => {
      if (document.visibilityState === 'hidden' || covered()) later(id, ms)
      else dismiss(id)
    }, ms)
  }
  return {
    get notices() {
      return notices
    },
    pass: notice => later(add(notice), least + notice.text.length * perCharacter),
    stay: notice => {
      const id = add(notice)
      return () => dismiss(id)
    },
    dismiss,
    onChange: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
