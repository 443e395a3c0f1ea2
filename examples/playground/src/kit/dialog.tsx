import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

/** A modal dialog, open while it is mounted; Escape, its cross and a press beside it close it, and the focus goes back to where it was. */
export function Dialog(props: { readonly title: string; readonly onClose: () => void; readonly children: ComponentChildren }) {
  const id = useId()
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    ref.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog ref={ref} class="dialog" aria-labelledby={id} onClose={props.onClose} closedby="any">
      <div class="sheet">
        <header>
          <h2 id={id}>{props.title}</h2>
          <button class="quiet" aria-label="Close" onClick={() => ref.current?.close()}>
            ✕
          </button>
        </header>
        {props.children}
      </div>
    </dialog>
  )
}
