import { mintRecoveryCode, type OpenedKeys } from '@deputy/seal'
import { useState } from 'preact/hooks'
import { useAccount } from './account-context.ts'
import { RecoveryCode } from './recovery-code.tsx'
import { useSpeech } from './speech-context.ts'
import { SureButton } from './sure-button.tsx'

interface Minted {
  readonly code: string
  readonly opened: OpenedKeys | null
}

/** The recovery code, to be made anew: it takes the place of the old one when the person says that they keep it. */
export const Recovery = () => {
  const { text } = useSpeech()
  const { keys, askOpened, say, changed } = useAccount()
  const [minted, setMinted] = useState<Minted>()
  const [busy, setBusy] = useState(false)
  const reissue = async (): Promise<void> => {
    const { value: state, problem } = await keys.read()
    if (problem !== null) return say(text.account.failed, 'warning')
    const opened = state === null ? null : await askOpened()
    if (state !== null && opened === null) return say(text.keys.section.needsOpen, 'warning')
    setMinted({ code: mintRecoveryCode(), opened })
  }
  const keep = async ({ code, opened }: Minted): Promise<void> => {
    setBusy(true)
    const { problem } = await keys.setCode(code, opened)
    setBusy(false)
    if (problem !== null) return say(text.signIn.problems[problem], 'warning')
    await keys.setCodeDue(false)
    setMinted(undefined)
    changed()
    say(text.account.done.codeKept, 'calm')
  }
  return (
    <section class="panel" aria-labelledby="recovery">
      <h2 id="recovery">{minted === undefined ? text.account.sections.recovery : text.account.newCode.title}</h2>
      <p class="soft">{minted === undefined ? text.account.recoveryText : text.account.newCode.text}</p>
      {minted === undefined ? (
        <SureButton question={text.account.reissueSure} sure={text.account.reissue} run={reissue}>
          {text.account.reissue}
        </SureButton>
      ) : (
        <RecoveryCode code={minted.code} busy={busy} done={() => void keep(minted)} />
      )}
    </section>
  )
}
