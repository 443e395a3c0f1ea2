import type { SignInActions, SignInState } from '../sign-in/state.ts'
import { Avatar } from './avatar.tsx'
import { Icon } from './icons.tsx'
import { OriginName } from './origin-name.tsx'
import { ProblemLine } from './sign-in-steps.tsx'
import { useSpeech } from './speech-context.ts'

/** May the app use this account: its origin big and clear, and what it gets and does not get. */
export const AllowApp = ({ state, actions }: { readonly state: Extract<SignInState, { step: 'allow' }>; readonly actions: SignInActions }) => {
  const { text } = useSpeech()
  const { account, app, busy, connected, problem } = state
  const { allow } = text.signIn
  return (
    <>
      <h1 tabIndex={-1}>{connected ? allow.again : allow.title}</h1>
      {app !== null && (
        <div class="app-check">
          <OriginName origin={app.origin} host={app.host} />
          <p class="soft">{allow.lead}</p>
        </div>
      )}
      <div class="panel">
        <div class="stack tight">
          <h2>{allow.gets}</h2>
          <ul class="points">
            {allow.getsPoints.map(point => (
              <li key={point}>
                <Icon name="check" />
                {point}
              </li>
            ))}
          </ul>
        </div>
        <div class="stack tight">
          <h2>{allow.notGets}</h2>
          <ul class="points not">
            {allow.notGetsPoints.map(point => (
              <li key={point}>
                <Icon name="cross" />
                {point}
              </li>
            ))}
          </ul>
        </div>
      </div>
      <div class="who">
        <Avatar name={account.name} image={account.image} />
        <p>
          <span class="soft">{allow.as}</span>
          <br />
          <bdi class="who-name">{account.name}</bdi>
        </p>
      </div>
      <ProblemLine problem={problem} />
      <div class="actions">
        <button type="button" class="button plain" onClick={() => actions.refuse()}>
          {allow.refuse}
        </button>
        <button type="button" class="button primary" disabled={busy} onClick={() => void actions.allow()}>
          {busy ? text.common.busy : connected ? allow.continue : allow.allow}
        </button>
      </div>
      <button type="button" class="button quiet wide" onClick={() => void actions.useAnotherAccount()}>
        {allow.another}
      </button>
    </>
  )
}
