import { listPasskeys } from '@deputy/contract/api-accounts'
import { mintRecoveryCode, type UnlockSecret } from '@deputy/seal'
import { useState } from 'preact/hooks'
import { askPasskey } from '../keys/passkey.ts'
import { useAccount, useRoute } from './account-context.ts'
import { Icon } from './icons.tsx'
import { PassphraseForm } from './passphrase-form.tsx'
import { RecoveryCode } from './recovery-code.tsx'
import { useSpeech } from './speech-context.ts'

interface Chosen {
  readonly secret: UnlockSecret
  readonly code: string
}

/** Encryption that is not set up yet: choose what opens it, keep the recovery code, done. */
export const EnrolHere = () => {
  const { text } = useSpeech()
  const { keys, say, changed } = useAccount()
  const passkeys = useRoute(listPasskeys, {}).value?.passkeys ?? []
  const [chosen, setChosen] = useState<Chosen>()
  const [begun, setBegun] = useState(false)
  const [busy, setBusy] = useState(false)
  const { enrol, section } = text.keys
  const choose = (secret: UnlockSecret): void => setChosen({ secret, code: mintRecoveryCode() })
  const choosePasskey = async (): Promise<void> => {
    setBusy(true)
    const { value, problem } = await askPasskey(passkeys.map(({ id }) => id))
    setBusy(false)
    if (problem === null) choose(value)
    else say(text.signIn.problems[problem], 'warning')
  }
  const keep = async ({ code, secret }: Chosen): Promise<void> => {
    setBusy(true)
    const { problem } = await keys.enrol(code, [{ secret, name: '' }])
    setBusy(false)
    if (problem !== null) return say(text.signIn.problems[problem], 'warning')
    await keys.setCodeDue(false)
    changed()
    say(section.done.enrolled, 'calm')
  }
  if (chosen !== undefined)
    return (
      <>
        <h3>{text.account.newCode.title}</h3>
        <p>
          {text.account.newCode.text} {text.keys.replaces}
        </p>
        <RecoveryCode code={chosen.code} busy={busy} done={() => void keep(chosen)} />
      </>
    )
  if (!begun)
    return (
      <>
        <p>
          <strong>{section.none.title}.</strong> {section.none.text}
        </p>
        <div class="inline">
          <button type="button" class="button plain" onClick={() => setBegun(true)}>
            {section.setUp}
          </button>
        </div>
      </>
    )
  return (
    <>
      <p>{enrol.text}</p>
      {passkeys.length > 0 && (
        <>
          <button type="button" class="button primary wide" disabled={busy} onClick={() => void choosePasskey()}>
            <Icon name="passkey" />
            {busy ? text.common.busy : enrol.passkey}
          </button>
          <p class="divider">{enrol.orPassphrase}</p>
        </>
      )}
      <PassphraseForm busy={busy} primary={passkeys.length === 0} submit={typed => choose({ kind: 'passphrase', text: typed })} />
    </>
  )
}
