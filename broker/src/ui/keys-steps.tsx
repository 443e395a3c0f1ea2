import { useState } from 'preact/hooks'
import type { SignInActions, SignInState } from '../sign-in/state.ts'
import { Icon } from './icons.tsx'
import { OriginName } from './origin-name.tsx'
import { PassphraseForm } from './passphrase-form.tsx'
import { RecoveryCode } from './recovery-code.tsx'
import { ProblemLine } from './sign-in-steps.tsx'
import { useSpeech } from './speech-context.ts'
import { TypedName } from './typed-name.tsx'
import { UnlockForm } from './unlock-form.tsx'

interface Step<S extends SignInState['step']> {
  readonly state: Extract<SignInState, { step: S }>
  readonly actions: SignInActions
}

/** The recovery code, shown once; it becomes the account's when the person says that they keep it. */
export const ShowRecovery = ({ state, actions }: Step<'show-recovery'>) => {
  const { text } = useSpeech()
  const { code, again, busy, problem, replaces } = state
  return (
    <>
      <h1 tabIndex={-1}>{text.signIn.keep.title}</h1>
      <p>
        {text.signIn.keep.text} {replaces && text.keys.replaces}
      </p>
      <ProblemLine problem={problem} />
      <RecoveryCode code={code} busy={busy} note={again ? text.keys.again : ''} done={() => void actions.recoverySaved()} />
      {again && problem !== null && (
        <button type="button" class="button quiet wide" disabled={busy} onClick={() => void actions.skipKeys()}>
          {text.keys.skip}
        </button>
      )}
    </>
  )
}

/** The keys are locked: what opens them. */
export const Unlock = ({ state, actions }: Step<'unlock'>) => {
  const { text } = useSpeech()
  const { app, busy, problem, ways, why } = state
  const { unlock } = text.keys
  return (
    <>
      <div class="stack tight">
        <h1 tabIndex={-1}>{unlock[why].title}</h1>
        {app !== null && why === 'app' && <OriginName origin={app.origin} host={app.host} />}
        <p class="soft">{unlock[why].text}</p>
      </div>
      <UnlockForm
        ways={ways}
        busy={busy}
        problem={problem}
        passkey={() => void actions.unlockWithPasskey()}
        passphrase={typed => void actions.unlockWithPassphrase(typed)}
        code={typed => void actions.unlockWithCode(typed)}
        lost={() => actions.showLost()}
        beganAnew={() => void actions.beganAnew()}
      />
      {why === 'code' ? (
        <button type="button" class="button quiet wide" onClick={() => void actions.later()}>
          {unlock.later}
        </button>
      ) : (
        <button type="button" class="button quiet wide" onClick={() => actions.refuse()}>
          {text.common.cancel}
        </button>
      )}
    </>
  )
}

/** No keys yet: what shall open them. */
export const Enrol = ({ state, actions }: Step<'enrol'>) => {
  const { text } = useSpeech()
  const { app, busy, passkey, problem } = state
  const { enrol } = text.keys
  const [typing, setTyping] = useState(!passkey)
  return (
    <>
      <div class="stack tight">
        <h1 tabIndex={-1}>{enrol.title}</h1>
        {app !== null && <OriginName origin={app.origin} host={app.host} />}
        <p class="soft">{enrol.text}</p>
      </div>
      <ProblemLine problem={problem} />
      {passkey && (
        <button type="button" class="button primary wide" disabled={busy} onClick={() => void actions.enrolWithPasskey()}>
          <Icon name="passkey" />
          {busy ? text.common.busy : enrol.passkey}
        </button>
      )}
      {typing ? (
        <>
          {passkey && <p class="divider">{enrol.orPassphrase}</p>}
          <PassphraseForm busy={busy} primary={!passkey} submit={typed => void actions.enrolWithPassphrase(typed)} />
        </>
      ) : (
        <button type="button" class="button plain wide" disabled={busy} onClick={() => setTyping(true)}>
          {enrol.setPassphrase}
        </button>
      )}
      <button type="button" class="button quiet wide" onClick={() => actions.refuse()}>
        {text.common.cancel}
      </button>
    </>
  )
}

/** After recovery: a passkey for this device. */
export const AddPasskey = ({ state: { busy, problem }, actions }: Step<'add-passkey'>) => {
  const { text } = useSpeech()
  const { addPasskey } = text.keys
  return (
    <>
      <h1 tabIndex={-1}>{addPasskey.title}</h1>
      <p>{addPasskey.text}</p>
      <ProblemLine problem={problem} />
      <button type="button" class="button primary wide" disabled={busy} onClick={() => void actions.addPasskey()}>
        <Icon name="passkey" />
        {busy ? text.common.busy : addPasskey.go}
      </button>
      <button type="button" class="button quiet wide" disabled={busy} onClick={() => void actions.later()}>
        {addPasskey.later}
      </button>
    </>
  )
}

/** Nothing opens the keys: what is lost, said plainly, and how to begin anew. */
export const Lost = ({ state: { busy, name, problem }, actions }: Step<'lost'>) => {
  const { text } = useSpeech()
  const { lost } = text.keys
  return (
    <>
      <span class="big-icon caution">
        <Icon name="warning" />
      </span>
      <h1 tabIndex={-1}>{lost.title}</h1>
      <p>{lost.text}</p>
      <ul class="points">
        {lost.points.map((point, index) => (
          <li key={point}>
            <Icon name={index === 0 ? 'cross' : 'check'} />
            {point}
          </li>
        ))}
      </ul>
      <ProblemLine problem={problem} />
      <TypedName id="lost-name" name={name} label={lost.confirm(name)} go={lost.go} busy={busy} submit={() => void actions.giveUpKeys(name)} />
      <button type="button" class="button quiet wide" disabled={busy} onClick={() => actions.back()}>
        {text.common.back}
      </button>
    </>
  )
}
