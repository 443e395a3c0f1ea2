import { useState } from 'preact/hooks'

const ends = { crlf: '\r\n', lf: '\n', none: '' } as const

/** A line to send, and what ends it. */
export function SayForm({ disabled, onSay, label }: { readonly disabled: boolean; readonly onSay: (bytes: Uint8Array) => void; readonly label: string }) {
  const [line, setLine] = useState('')
  const [end, setEnd] = useState<keyof typeof ends>('crlf')
  return (
    <form
      class="say"
      onSubmit={event => {
        event.preventDefault()
        const bytes = new TextEncoder().encode(line + ends[end])
        if (disabled || bytes.byteLength === 0) return
        onSay(bytes)
        setLine('')
      }}
    >
      <input
        aria-label={label}
        placeholder="PING"
        dir="auto"
        autoComplete="off"
        spellcheck={false}
        value={line}
        onInput={event => setLine(event.currentTarget.value)}
      />
      <select dir="ltr" aria-label="Ends with" value={end} onChange={event => setEnd(event.currentTarget.value as keyof typeof ends)}>
        <option value="crlf">\r\n</option>
        <option value="lf">\n</option>
        <option value="none">nothing</option>
      </select>
      <button disabled={disabled}>Send</button>
    </form>
  )
}
