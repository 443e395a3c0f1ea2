import type { Problem, UnlockWays } from '../sign-in/state.ts'
import { Icon } from './icons.tsx'
import { RecoveryField } from './recovery-field.tsx'
import { fieldText, Form, ProblemLine } from './sign-in-steps.tsx'
import { useSpeech } from './speech-context.ts'

/** What opening the keys can do, wherever the person is asked for it. */
export interface Unlocking {
  readonly ways: UnlockWays
  readonly busy: boolean
  readonly problem: Problem | null
  readonly passkey: () => void
  readonly passphrase: (text: string) => void
  readonly code: (typed: string) => void
  /** Where the person may say that none of it opens. */
  readonly lost?: () => void
  /** The person says that they gave the keys up elsewhere; offered where older ones are shown than were seen. */
  readonly beganAnew: () => void
}

/** The ways of opening the keys that the account has, the easiest first. */
export const UnlockForm = ({ ways, busy, problem, passkey, passphrase, code, lost, beganAnew }: Unlocking) => {
  const { text } = useSpeech()
  const { unlock } = text.keys
  return (
    <>
      <ProblemLine problem={problem} />
      {problem === 'keys-old' && (
        <button type="button" class="button plain wide" onClick={beganAnew}>
          {unlock.beganAnew}
        </button>
      )}
      {ways.passkey && (
        <button type="button" class="button primary wide" disabled={busy} onClick={passkey}>
          <Icon name="passkey" />
          {busy ? text.common.busy : unlock.passkey}
        </button>
      )}
      {ways.passphrase && (
        <Form submit={values => passphrase(fieldText(values, 'passphrase'))}>
          <div class="field">
            <label for="passphrase">{unlock.passphrase}</label>
            <input class="input" id="passphrase" name="passphrase" type="password" required maxLength={1000} autocomplete="current-password" />
          </div>
          <button type="submit" class={`button wide ${ways.passkey ? 'plain' : 'primary'}`} disabled={busy}>
            {busy ? unlock.working : unlock.go}
          </button>
        </Form>
      )}
      <details class="more" open={!ways.passkey && !ways.passphrase}>
        <summary>{unlock.useCode}</summary>
        <Form submit={values => code(fieldText(values, 'recovery'))}>
          <RecoveryField id="recovery-unlock" label={unlock.codeLabel} />
          <button type="submit" class="button plain wide" disabled={busy}>
            {busy ? text.common.busy : unlock.go}
          </button>
        </Form>
        {lost !== undefined && (
          <button type="button" class="button quiet wide" onClick={lost}>
            {unlock.lost}
          </button>
        )}
      </details>
    </>
  )
}
