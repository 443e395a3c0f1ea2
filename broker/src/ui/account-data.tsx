import { deleteAccount, exportAccount } from '@deputy/contract/api-accounts'
import { useState } from 'preact/hooks'
import type { Profile } from '../sign-in/state.ts'
import { answered, useAccount } from './account-context.ts'
import { download } from './download.ts'
import { useSpeech } from './speech-context.ts'
import { TypedName } from './typed-name.tsx'

/** The account's data, to take along or to delete. */
export const Data = ({ profile, onDeleted }: { readonly profile: Profile; readonly onDeleted: () => void }) => {
  const { text } = useSpeech()
  const { call, say } = useAccount()
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
        <TypedName
          id="delete-name"
          name={profile.name}
          label={text.account.deleteConfirm(profile.name)}
          go={text.account.deleteGo}
          busy={busy}
          submit={() => void remove()}
        />
      </div>
    </section>
  )
}
