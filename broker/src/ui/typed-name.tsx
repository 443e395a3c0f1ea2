import { useState } from 'preact/hooks'
import { Form } from './sign-in-steps.tsx'

/** A button for what nobody can bring back: it works once the name stands in the field. */
export const TypedName = (of: {
  readonly id: string
  readonly name: string
  readonly label: string
  readonly go: string
  readonly busy: boolean
  readonly submit: () => void
}) => {
  const [typed, setTyped] = useState('')
  return (
    <Form submit={of.submit}>
      <div class="field">
        <label for={of.id}>
          <bdi>{of.label}</bdi>
        </label>
        <div class="inline">
          <input
            class="input"
            id={of.id}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={typed}
            onInput={event => setTyped(event.currentTarget.value)}
          />
          <button type="submit" class="button danger" disabled={of.busy || typed !== of.name}>
            {of.go}
          </button>
        </div>
      </div>
    </Form>
  )
}
