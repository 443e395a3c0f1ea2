import { useEffect, useRef, useState } from 'preact/hooks'
import { bytes } from '../kit/format.ts'

interface ComposerProps {
  /** Text bytes a message may hold. */
  readonly room: number
  /** Text bytes of what is written, as it is sent. */
  readonly measure: (text: string) => number
  readonly mayNot: string | null
  readonly editing: { readonly seq: number; readonly text: string } | null
  readonly onSubmit: (text: string) => void
  readonly onCancelEdit: () => void
  readonly onEditLast: () => void
}

/** Where one writes: Enter sends, Shift+Enter begins a line, the arrow up in an empty field takes the last own message up again. */
export function Composer({ room, measure, mayNot, editing, onSubmit, onCancelEdit, onEditLast }: ComposerProps) {
  const [text, setText] = useState('')
  const draftRef = useRef('')
  const fieldRef = useRef<HTMLTextAreaElement>(null)
  const length = measure(text)
  const isOver = length > room
  useEffect(() => {
    if (editing === null) return setText(draftRef.current)
    setText(editing.text)
    fieldRef.current?.focus()
  }, [editing])

  const write = (value: string) => {
    if (editing === null) draftRef.current = value
    setText(value)
  }
  const submit = () => {
    if (text.trim() === '' || isOver || mayNot !== null) return
    onSubmit(text.trim())
    write('')
  }
  const press = (event: KeyboardEvent) => {
    // While an input method is composing, Enter belongs to it.
    if (event.isComposing) return
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      submit()
    } else if (event.key === 'Escape' && editing !== null) onCancelEdit()
    else if (event.key === 'ArrowUp' && text === '' && editing === null) {
      event.preventDefault()
      onEditLast()
    }
  }
  return (
    <form
      class="composer"
      onSubmit={event => {
        event.preventDefault()
        submit()
      }}
    >
      {editing === null ? null : (
        <p class="editing">
          <span>Editing your message</span>
          <button type="button" class="small" onClick={onCancelEdit}>
            Cancel
          </button>
        </p>
      )}
      <div class="write">
        <textarea
          ref={fieldRef}
          rows={1}
          aria-label={editing === null ? 'Message' : 'Edited message'}
          aria-describedby="composer-help"
          placeholder={mayNot ?? 'Write a message'}
          disabled={mayNot !== null}
          value={text}
          onInput={event => write(event.currentTarget.value)}
          onKeyDown={press}
        />
        <button class="primary" disabled={text.trim() === '' || isOver || mayNot !== null}>
          {editing === null ? 'Send' : 'Save'}
        </button>
      </div>
      <p id="composer-help" class={isOver ? 'hint over' : 'hint'}>
        {isOver ? (
          <span role="alert">
            {(length - room).toLocaleString()} bytes too long: shorten it, or send it in parts. A message holds {bytes(room)}.
          </span>
        ) : length > room * 0.8 ? (
          `${(room - length).toLocaleString()} bytes left`
        ) : (
          `Enter sends, Shift+Enter begins a new line. Up to ${bytes(room)} a message.`
        )}
      </p>
    </form>
  )
}
