import { useLayoutEffect, useRef } from 'preact/hooks'
import type { SignInFlow } from '../sign-in/state.ts'
import { AllowApp } from './allow-app.tsx'
import { Icon } from './icons.tsx'
import { AddPasskey, Enrol, Lost, ShowRecovery, Unlock } from './keys-steps.tsx'
import { Column } from './page.tsx'
import { Choose, EmailCode, Recovery } from './sign-in-steps.tsx'
import { useSpeech } from './speech-context.ts'
import { useChange } from './use-change.ts'

/** The sign-in window: one step at a time, the focus on its heading so that screen readers begin there. */
export const SignInWindow = ({ flow }: { readonly flow: SignInFlow }) => {
  const { text } = useSpeech()
  useChange(flow.subscribe)
  const { step } = flow.state
  const ref = useRef<HTMLDivElement>(null)
  const shownRef = useRef(step)
  useLayoutEffect(() => {
    if (shownRef.current === step) return
    shownRef.current = step
    ref.current?.querySelector<HTMLElement>('h1')?.focus()
  }, [step])
  return (
    <Column label={text.signIn.windowTitle}>
      <div ref={ref} class="stack" data-step={step}>
        <Step flow={flow} />
      </div>
    </Column>
  )
}

const Step = ({ flow }: { readonly flow: SignInFlow }) => {
  const { text } = useSpeech()
  const { state, actions } = flow
  switch (state.step) {
    case 'starting':
      return (
        <p class="soft" role="status">
          {text.signIn.starting}
        </p>
      )
    case 'choose':
      return <Choose state={state} actions={actions} />
    case 'email-code':
      return <EmailCode state={state} actions={actions} />
    case 'recovery':
      return <Recovery state={state} actions={actions} />
    case 'show-recovery':
      // A code of its own for each key, so that a new one is never confirmed by the tick for another.
      return <ShowRecovery key={state.code} state={state} actions={actions} />
    case 'unlock':
      return <Unlock state={state} actions={actions} />
    case 'enrol':
      return <Enrol state={state} actions={actions} />
    case 'lost':
      return <Lost state={state} actions={actions} />
    case 'add-passkey':
      return <AddPasskey state={state} actions={actions} />
    case 'allow':
      return <AllowApp state={state} actions={actions} />
    case 'done':
      return <Done flow={flow} />
    case 'unreachable':
      return (
        <>
          <span class="big-icon caution">
            <Icon name="warning" />
          </span>
          <h1 tabIndex={-1}>{text.signIn.unreachable.title}</h1>
          <p>{text.signIn.unreachable.text}</p>
          <button type="button" class="button primary wide" onClick={() => void actions.retry()}>
            {text.common.retry}
          </button>
        </>
      )
    case 'cut-off':
      return (
        <>
          <span class="big-icon caution">
            <Icon name="window" />
          </span>
          <h1 tabIndex={-1}>{text.signIn.cutOff.title}</h1>
          <p>{text.signIn.cutOff.text}</p>
          <button type="button" class="button primary wide" onClick={() => void actions.continueWithoutApp()}>
            {text.signIn.cutOffGo}
          </button>
        </>
      )
  }
}

const Done = ({ flow: { state } }: { readonly flow: SignInFlow }) => {
  const { text } = useSpeech()
  if (state.step !== 'done') return null
  const { account, app } = state
  if (account === null)
    return (
      <>
        <h1 tabIndex={-1}>{text.signIn.doneRefused.title}</h1>
        <p>{text.signIn.doneRefused.text}</p>
      </>
    )
  return (
    <>
      <span class="big-icon">
        <Icon name="check" />
      </span>
      <h1 tabIndex={-1}>{text.signIn.done.title}</h1>
      <p>
        <bdi>{app === null ? text.signIn.doneAlone(account.name) : text.signIn.doneFor(account.name, app.host)}</bdi>
      </p>
      {app === null ? (
        <a class="button primary wide" href="/account">
          {text.signIn.toAccount}
        </a>
      ) : (
        <p class="soft">{text.signIn.done.text}</p>
      )}
    </>
  )
}
