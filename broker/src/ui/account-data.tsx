import { deleteAccount, exportAccount, reissueRecovery } from '@deputy/contract/api-accounts'
import { useState } from 'preact/hooks'
import type { Profile } from '../sign-in/state.ts'
import { answered, useAccount } from './account-context.ts'
import { download } from './download.ts'
import { RecoveryCode } from './recovery-code.tsx'
import { Form } from './sign-in-steps.tsx'
import { useSpeech } from './speech-context.ts'
import { SureButton } from './sure-button.tsx'

/** The recovery code, to be made anew. */
export const Recovery = () => {
  const { text } = useSpeech()
  const { call, say } = useAccount()
  const [code, setCode] = useState<string>()
  const reissue = async (): Promise<void> => {
    const outcome = await call(reissueRecovery, {})
    if (answered(outcome)) setCode(outcome.value.code)
    else say(text.account.failed, 'warning')
  }
  return (
    <section class="panel" aria-labelledby="recovery">
      <h2 id="recovery">{code === undefined ? text.account.sections.recovery : text.account.newCode.title}</h2>
      <p class="soft">{code === undefined ? text.account.recoveryText : text.account.newCode.text}</p>
      {code === undefined ? (
        <SureButton question={text.account.reissueSure} sure={text.account.reissue} run={reissue}>
          {text.account.reissue}
        </SureButton>
      ) : (
        <RecoveryCode code={code} done={() => setCode(undefined)} />
      )}
    </section>
  )
}

/** The account's data, to take along or to delete. */
export const Data = ({ profile, onDeleted }: { readonly profile: Profile; readonly onDeleted: () => void }) => {
  const { text } = useSpeech()
  const { call, say } = useAccount()
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const exportAll = async (): Promise<void> => {
    const outcome = await call(exportAccount, {}, { deadline: 60_000 })
    if (answered(outcome)) download('deputy-account.json', 'application/json', JSON.stringify(outcome.value, null, 2))
    else say(text.account.failed, 'warning')
  }
  const remove = async (): Promise<void> => {
    setBusy(true)
    const outcome = await call(deleteAccount, { name: profile.name }, { deadline: 60_000 })
    setBusy(false)
    if (answered(outcome)) onDeleted()
    else say(text.account.failed, 'warning')
  }
  return (
    <section class="panel" aria-labelledby="data">
      <h2 id="data">{text.account.sections.data}</h2>
      <div class="stack tight">
        <h3>{text.account.exportTitle}</h3>
        <p class="soft">{text.account.exportText}</p>
        <div class="inline">
          <button type="button" class="button plain" onClick={() => void exportAll()}>
            {text.account.exportGo}
          </button>
        </div>
      </div>
      <hr />
      <div class="stack tight">
        <h3>{text.account.deleteTitle}</h3>
        <p class="soft">{text.account.deleteText}</p>
        <Form submit={() => void remove()}>
          <div class="field">
            <label for="delete-name">
              <bdi>{text.account.deleteConfirm(profile.name)}</bdi>
            </label>
            <div class="inline">
              <input
                class="input"
                id="delete-name"
                autocomplete="off"
                autocapitalize="off"
                spellcheck={false}
                value={typed}
                onInput={event => setTyped(event.currentTarget.value)}
              />
              <button type="submit" class="button danger" disabled={busy || typed !== profile.name}>
                {text.account.deleteGo}
              </button>
            </div>
          </div>
        </Form>
      </div>
    </section>
  )
}
