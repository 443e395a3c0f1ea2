import { useState } from 'preact/hooks'
import { download } from './download.ts'
import { useSpeech } from './speech-context.ts'

/** A recovery code, shown once: to copy, to keep as a file, and to go on only after the person said that it is kept. */
export const RecoveryCode = ({
  code,
  done,
  busy = false,
  note = '',
}: {
  readonly code: string
  readonly done: () => void
  readonly busy?: boolean
  /** What follows the confirmation, said before it. */
  readonly note?: string
}) => {
  const { text } = useSpeech()
  const [kept, setKept] = useState(false)
  const [copied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    // Denied or unfocused: the code can still be selected.
    setCopied(
      await navigator.clipboard.writeText(code).then(
        () => true,
        () => false,
      ),
    )
  }
  const keepFile = (): void => download(text.signIn.fileName, 'text/plain', text.signIn.fileText(code))
  return (
    <div class="stack">
      <p class="secret" dir="ltr" data-testid="recovery-code">
        {code}
      </p>
      <div class="actions">
        <button type="button" class="button plain" onClick={() => void copy()}>
          <span role="status">{copied ? text.common.copied : text.common.copy}</span>
        </button>
        <button type="button" class="button plain" onClick={keepFile}>
          {text.common.download}
        </button>
      </div>
      <label class="check">
        <input type="checkbox" checked={kept} onChange={event => setKept(event.currentTarget.checked)} />
        <span>{text.signIn.keepConfirm}</span>
      </label>
      {note !== '' && <p class="soft">{note}</p>}
      <button type="button" class="button primary wide" disabled={!kept || busy} onClick={done}>
        {busy ? text.common.busy : text.signIn.keepGo}
      </button>
    </div>
  )
}
