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
      <div class="field">
        <label for="new-passphrase">{enrol.first}</label>
        <input
          class="input"
          id="new-passphrase"
          type="password"
          required
          maxLength={1000}
          autocomplete="new-password"
          value={first}
          aria-describedby="passphrase-hint passphrase-strength"
          onInput={event => setFirst(event.currentTarget.value)}
        />
        <p class="hint" id="passphrase-hint">
          {enrol.hint}
        </p>
        <p class="strength" id="passphrase-strength" data-strength={first === '' ? 'none' : strength} role="status">
          {first === '' ? '' : enrol.strength[strength]}
        </p>
      </div>
      <div class="field">
        <label for="same-passphrase">{enrol.second}</label>
        <input
          class="input"
          id="same-passphrase"
          type="password"
          required
          maxLength={1000}
          autocomplete="new-password"
          value={second}
          aria-describedby="passphrase-differ"
          onInput={event => setSecond(event.currentTarget.value)}
        />
        <p class="hint" id="passphrase-differ" role="status">
          {differ ? enrol.differ : ''}
        </p>
      </div>
      <button type="submit" class={`button wide ${primary ? 'primary' : 'plain'}`} disabled={busy || !taken || first !== second}>
        {busy ? text.common.busy : enrol.go}
      </button>
    </Form>
  )
}
