import { useState } from 'preact/hooks'
import { useSpeech } from './speech-context.ts'

/** A recovery code, shown once: to copy, to keep as a file, and to go on only after the person said that it is kept. */
export const RecoveryCode = ({ code, done }: { readonly code: string; readonly done: () => void }) => {
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
  const download = (): void => {
    const url = URL.createObjectURL(new Blob([text.signIn.fileText(code)], { type: 'text/plain' }))
    const link = document.createElement('a')
    link.href = url
    link.download = text.signIn.fileName
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 10_000)
  }
  return (
    <div class="stack">
      <p class="secret" dir="ltr" data-testid="recovery-code">
        {code}
      </p>
      <div class="actions">
        <button type="button" class="button plain" onClick={() => void copy()}>
          <span role="status">{copied ? text.common.copied : text.common.copy}</span>
        </button>
        <button type="button" class="button plain" onClick={download}>
          {text.common.download}
        </button>
      </div>
      <label class="check">
        <input type="checkbox" checked={kept} onChange={event => setKept(event.currentTarget.checked)} />
        <span>{text.signIn.keepConfirm}</span>
      </label>
      <button type="button" class="button primary wide" disabled={!kept} onClick={done}>
        {text.signIn.keepGo}
      </button>
    </div>
  )
}
