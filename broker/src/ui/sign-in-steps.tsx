import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Problem, SignInActions, SignInState } from '../sign-in/state.ts'
import { Icon } from './icons.tsx'
import { OriginName } from './origin-name.tsx'
import { Alert } from './page.tsx'
import { RecoveryField } from './recovery-field.tsx'
import { useSpeech } from './speech-context.ts'

type At<Step extends SignInState['step']> = Extract<SignInState, { step: Step }>

/** What went wrong with the last try, in the person's words. */
export const ProblemLine = ({ problem }: { readonly problem: Problem | null }) => {
  const { text } = useSpeech()
  return <Alert>{problem === null ? undefined : text.signIn.problems[problem]}</Alert>
}

/** A form whose fields are read on submit; nothing of it ever leaves by the form itself. */
export const Form = ({ submit, children }: { readonly submit: (values: FormData) => void; readonly children: ComponentChildren }) => (
  <form
    class="stack"
    onSubmit={event => {
      event.preventDefault()
      submit(new FormData(event.currentTarget))
    }}
  >
    {children}
  </form>
)

/** A text a field of the form holds. */
export const fieldText = (values: FormData, name: string): string => {
  const value = values.get(name)
  return typeof value === 'string' ? value : ''
}

/** The first step: who are you. */
export const Choose = ({ state, actions }: { readonly state: At<'choose'>; readonly actions: SignInActions }) => {
  const { text } = useSpeech()
  const { app, busy, problem, providers } = state
  const [fresh, setFresh] = useState(false)
  return (
    <>
      <div class="stack tight">
        <h1 tabIndex={-1}>{text.signIn.title}</h1>
        {app !== null && <OriginName origin={app.origin} host={app.host} />}
        <p class="soft">{text.signIn.lead}</p>
      </div>
      <ProblemLine problem={problem} />
      {fresh ? (
        <Form submit={values => void actions.signUp(fieldText(values, 'name'))}>
          <div class="field">
            <label for="name">{text.signIn.name}</label>
            <input class="input" id="name" name="name" required maxLength={100} autocomplete="name" aria-describedby="name-hint" />
            <p class="hint" id="name-hint">
              {text.signIn.nameHint}
            </p>
          </div>
          <button type="submit" class="button primary wide" disabled={busy}>
            <Icon name="passkey" />
            {busy ? text.common.busy : text.signIn.create}
          </button>
          <p class="soft">{text.signIn.newAccountWhy}</p>
          <button type="button" class="button quiet wide" onClick={() => setFresh(false)}>
            {text.signIn.haveAccount}
          </button>
        </Form>
      ) : (
        <div class="stack">
          <button type="button" class="button primary wide" disabled={busy} onClick={() => void actions.signInWithPasskey()}>
            <Icon name="passkey" />
            {busy ? text.common.busy : text.signIn.passkey}
          </button>
          <button type="button" class="button plain wide" disabled={busy} onClick={() => setFresh(true)}>
            {text.signIn.newAccount}
          </button>
        </div>
      )}
      {providers.length > 0 && (
        <div class="stack tight">
          {providers.map(({ id, title }) => (
            <button key={id} type="button" class="button plain wide" disabled={busy} onClick={() => void actions.useProvider(id)}>
              {text.signIn.provider(title)}
            </button>
          ))}
        </div>
      )}
      <details class="more">
        <summary>{text.signIn.otherWays}</summary>
        <div class="stack">
          <Form submit={values => void actions.sendEmail(fieldText(values, 'email'))}>
            <div class="field">
              <label for="email">{text.signIn.email}</label>
              <input class="input" id="email" name="email" type="email" required maxLength={254} autocomplete="email" aria-describedby="email-hint" />
              <p class="hint" id="email-hint">
                {text.signIn.emailHint}
              </p>
            </div>
            <button type="submit" class="button plain wide" disabled={busy}>
              {text.signIn.sendCode}
            </button>
          </Form>
          <button type="button" class="button quiet wide" onClick={() => actions.showRecovery()}>
            {text.signIn.useRecovery}
          </button>
        </div>
      </details>
      {app !== null && (
        <button type="button" class="button quiet wide" onClick={() => actions.refuse()}>
          {text.common.cancel}
        </button>
      )}
    </>
  )
}

/** The code that went to the address. */
export const EmailCode = ({ state, actions }: { readonly state: At<'email-code'>; readonly actions: SignInActions }) => {
  const { text } = useSpeech()
  const { busy, email, problem } = state
  return (
    <>
      <h1 tabIndex={-1}>{text.signIn.code.title}</h1>
      <p>
        <bdi>{text.signIn.codeSent(email)}</bdi> {text.signIn.code.text}
      </p>
      <ProblemLine problem={problem} />
      <Form submit={values => void actions.enterEmailCode(fieldText(values, 'code'), fieldText(values, 'name'))}>
        <div class="field">
          <label for="code">{text.signIn.codeLabel}</label>
          <input class="input code" id="code" name="code" required inputMode="numeric" autocomplete="one-time-code" maxLength={20} dir="ltr" />
        </div>
        <div class="field">
          <label for="name">{text.signIn.codeName}</label>
          <input class="input" id="name" name="name" maxLength={100} autocomplete="name" />
        </div>
        <button type="submit" class="button primary wide" disabled={busy}>
          {busy ? text.common.busy : text.signIn.codeGo}
        </button>
      </Form>
      <button type="button" class="button quiet wide" onClick={() => actions.back()}>
        {text.common.back}
      </button>
    </>
  )
}

/** The way back in with the code kept at the start. */
export const Recovery = ({ state, actions }: { readonly state: At<'recovery'>; readonly actions: SignInActions }) => {
  const { text } = useSpeech()
  const { busy, problem } = state
  return (
    <>
      <h1 tabIndex={-1}>{text.signIn.recovery.title}</h1>
      <p>{text.signIn.recovery.text}</p>
      <ProblemLine problem={problem} />
      <Form submit={values => void actions.recover(fieldText(values, 'recovery'))}>
        <RecoveryField id="recovery" label={text.signIn.recoveryLabel} />
        <button type="submit" class="button primary wide" disabled={busy}>
          {busy ? text.common.busy : text.signIn.recoveryGo}
        </button>
      </Form>
      <button type="button" class="button quiet wide" onClick={() => actions.back()}>
        {text.common.back}
      </button>
    </>
  )
}
