import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { strengthOf } from '../keys/strength.ts'
import { Form } from './sign-in-steps.tsx'
import { useSpeech } from './speech-context.ts'

/** A new passphrase, typed twice, with a hint of how well it stands up to guessing; easy ones are not taken. */
export const PassphraseForm = ({ busy, submit, primary }: { readonly busy: boolean; readonly submit: (text: string) => void; readonly primary: boolean }) => {
  const { text } = useSpeech()
  const { enrol } = text.keys
  const [first, setFirst] = useState('')
  const [second, setSecond] = useState('')
  const strength = strengthOf(first)
  const taken = strength === 'fair' || strength === 'strong'
  const differ = second !== '' && second !== first
  return (
    <Form
      submit={() => {
        if (taken && first === second) submit(first)
      }}
    >
      <PassphraseField id="new-passphrase" label={enrol.first} value={first} onValue={setFirst} describedBy="passphrase-hint passphrase-strength">
        <p class="hint" id="passphrase-hint">
          {enrol.hint}
        </p>
        <p class="strength" id="passphrase-strength" data-strength={first === '' ? 'none' : strength} role="status">
          {first === '' ? '' : enrol.strength[strength]}
        </p>
      </PassphraseField>
      <PassphraseField id="same-passphrase" label={enrol.second} value={second} onValue={setSecond} describedBy="passphrase-differ">
        <p class="hint" id="passphrase-differ" role="status">
          {differ ? enrol.differ : ''}
        </p>
      </PassphraseField>
      <button type="submit" class={`button wide ${primary ? 'primary' : 'plain'}`} disabled={busy || !taken || first !== second}>
        {busy ? text.common.busy : enrol.go}
      </button>
    </Form>
  )
}

interface Field {
  readonly id: string
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
  /** Ids of what the children say of it. */
  readonly describedBy: string
  readonly children: ComponentChildren
}

const PassphraseField = ({ id, label, value, onValue, describedBy, children }: Field) => (
  <div class="field">
    <label for={id}>{label}</label>
    <input
      class="input"
      id={id}
      type="password"
      required
      maxLength={1000}
      autocomplete="new-password"
      value={value}
      aria-describedby={describedBy}
      onInput={event => onValue(event.currentTarget.value)}
    />
    {children}
  </div>
)
