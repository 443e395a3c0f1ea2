import { beginPasskey, finishPasskey, listPasskeys, removePasskey } from '@deputy/contract/api-accounts'
import { startRegistration } from '@simplewebauthn/browser'
import { useState } from 'preact/hooks'
import { deviceName } from '../connecting/device.ts'
import { ceremony } from '../sign-in/ways.ts'
import { answered, useAccount, useRoute } from './account-context.ts'
import { Icon } from './icons.tsx'
import { useSpeech } from './speech-context.ts'
import { SureButton } from './sure-button.tsx'

/** The account's passkeys, to add and to remove. */
export const Passkeys = () => {
  const { text, formats } = useSpeech()
  const { call, say, changed } = useAccount()
  const [busy, setBusy] = useState(false)
  const { value } = useRoute(listPasskeys, {})
  const add = async (): Promise<void> => {
    setBusy(true)
    const begun = await call(beginPasskey, {})
    const options = answered(begun) ? begun.value : null
    const made =
      options === null
        ? null
        : await ceremony(() => startRegistration({ optionsJSON: options.options as Parameters<typeof startRegistration>[0]['optionsJSON'] }))
    setBusy(false)
    if (options === null || made === null) return say(text.account.failed, 'warning')
    if (made.problem !== null) return say(text.signIn.problems[made.problem], 'warning')
    const outcome = await call(finishPasskey, { ceremony: options.ceremony, response: made.value, name: deviceName() })
    changed()
    say(answered(outcome) ? text.account.done.passkeyAdded : text.account.failed, answered(outcome) ? 'calm' : 'warning')
  }
  const remove = async (id: string): Promise<void> => {
    const outcome = await call(removePasskey, { id })
    changed()
    if (answered(outcome)) return say(text.account.done.passkeyRemoved, 'calm')
    say(outcome.kind === 'refused' && outcome.error === 'conflict' ? text.account.lastPasskey : text.account.failed, 'warning')
  }
  return (
    <section class="panel" aria-labelledby="passkeys">
      <h2 id="passkeys">{text.account.sections.passkeys}</h2>
      <p class="soft">{text.account.passkeysText}</p>
      <ul class="entries">
        {value?.passkeys.map(({ id, name, created, lastUsed }) => (
          <li key={id} class="entry">
            <Icon name="passkey" />
            <div class="entry-text">
              <bdi class="entry-title">{name}</bdi>
              <span class="soft">
                {text.account.created(formats.date(created))} · {lastUsed === null ? text.account.never : text.account.lastUsed(formats.ago(lastUsed))}
              </span>
            </div>
            <SureButton
              label={text.account.removeNamed(name)}
              question={`${text.account.removeNamed(name)}?`}
              sure={text.account.remove}
              run={() => remove(id)}
            >
              {text.account.remove}
            </SureButton>
          </li>
        ))}
      </ul>
      <div class="inline">
        <button type="button" class="button plain" disabled={busy} onClick={() => void add()}>
          {busy ? text.common.busy : text.account.addPasskey}
        </button>
      </div>
    </section>
  )
}
