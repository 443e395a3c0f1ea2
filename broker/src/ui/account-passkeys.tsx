import { listPasskeys, removePasskey } from '@deputy/contract/api-accounts'
import type { OpenedKeys } from '@deputy/seal'
import { useState } from 'preact/hooks'
import { makePasskey } from '../keys/make-passkey.ts'
import { askPasskey } from '../keys/passkey.ts'
import { answered, useAccount, useRoute } from './account-context.ts'
import { Icon } from './icons.tsx'
import { useSpeech } from './speech-context.ts'
import { SureButton } from './sure-button.tsx'

/** The account's passkeys, to add and to remove. */
export const Passkeys = () => {
  const { text, formats } = useSpeech()
  const { call, keys, askOpened, say, changed } = useAccount()
  const [busy, setBusy] = useState(false)
  const { value } = useRoute(listPasskeys, {})
  const add = async (): Promise<void> => {
    setBusy(true)
    const { value: state } = await keys.read()
    // Opened first: a passkey that was made but opens nothing would surprise the person on the day they need it.
    const opened = state === null ? null : await askOpened()
    const line = await addWith(opened, state !== null)
    setBusy(false)
    changed()
    say(line.text, line.tone)
  }
  const addWith = async (opened: OpenedKeys | null, enrolled: boolean): Promise<{ text: string; tone: 'calm' | 'warning' }> => {
    const warning = (line: string) => ({ text: line, tone: 'warning' }) as const
    if (enrolled && opened === null) return warning(text.keys.section.needsOpen)
    const made = await makePasskey(call)
    if (made.problem !== null) return warning(text.signIn.problems[made.problem])
    if (opened === null) return { text: text.account.done.passkeyAdded, tone: 'calm' }
    const { credential, able } = made.value
    const secret = made.value.secret ?? (able ? (await askPasskey([credential])).value : null)
    if (secret === null) return warning(text.keys.section.passkeyNotYet)
    const added = await keys.add(opened, { secret, name: '' })
    return added.problem === null ? { text: text.account.done.passkeyAdded, tone: 'calm' } : warning(text.signIn.problems[added.problem])
  }
  const remove = async (id: string): Promise<void> => {
    const { value: state } = await keys.read()
    const drop = (state?.unlockers ?? []).filter(({ credential }) => credential === id).map(unlocker => unlocker.id)
    const opened = drop.length === 0 ? null : await askOpened()
    if (drop.length > 0 && opened === null) return say(text.keys.section.needsOpen, 'warning')
    const outcome = await call(removePasskey, { id })
    const rotated = answered(outcome) && opened !== null ? await keys.rotate(opened, { drop }) : null
    changed()
    if (rotated !== null && rotated.problem !== null) return say(text.signIn.problems[rotated.problem], 'warning')
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
