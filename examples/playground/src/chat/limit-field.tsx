import { useState } from 'preact/hooks'

interface LimitProps {
  readonly label: string
  readonly now: number
  readonly disabled: boolean
  readonly onLimit: (characters: number | null) => void
}

/** A size limit of messages, in characters on the wire, or none of its own. */
export function LimitField({ label, now, disabled, onLimit }: LimitProps) {
  const [value, setValue] = useState('')
  return (
    <form
      class="limit"
      onSubmit={event => {
        event.preventDefault()
        if (value !== '') onLimit(Number(value))
      }}
    >
      <label class="field">
        <span>
          {label} <small>(now {now.toLocaleString()} characters once sealed)</small>
        </span>
        <input type="number" inputMode="numeric" min={200} max={262_144} step={1} value={value} onInput={event => setValue(event.currentTarget.value)} />
      </label>
      <div class="row">
        <button disabled={disabled || value === ''}>Set</button>
        <button
          type="button"
          disabled={disabled}
          onClick={() => {
            setValue('')
            onLimit(null)
          }}
        >
          No own limit
        </button>
      </div>
    </form>
  )
}
