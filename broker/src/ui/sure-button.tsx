import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { useSpeech } from './speech-context.ts'

/** A button for what cannot be undone: the first press asks, in place, and the focus stays where it was. */
export const SureButton = ({
  label,
  question,
  sure,
  run,
  children,
}: {
  /** What screen readers say instead of the text, where several buttons have the same. */
  readonly label?: string
  readonly question: string
  readonly sure: string
  readonly run: () => void | Promise<void>
  readonly children: ComponentChildren
}) => {
  const { text } = useSpeech()
  const [asking, setAsking] = useState(false)
  const [busy, setBusy] = useState(false)
  const group = useRef<HTMLDivElement>(null)
  const focusSoon = (): void => queueMicrotask(() => setTimeout(() => group.current?.querySelector<HTMLElement>('button')?.focus()))
  const turn = (next: boolean): void => {
    setAsking(next)
    focusSoon()
  }
  const go = async (): Promise<void> => {
    setBusy(true)
    await run()
    setBusy(false)
    turn(false)
  }
  return (
    <div ref={group} class="sure" role="group">
      {asking ? (
        <>
          <span class="sure-question">{question}</span>
          <button type="button" class="button plain" onClick={() => turn(false)}>
            {text.common.cancel}
          </button>
          <button type="button" class="button danger" disabled={busy} onClick={() => void go()}>
            {sure}
          </button>
        </>
      ) : (
        <button type="button" class="button danger-quiet" aria-label={label} onClick={() => turn(true)}>
          {children}
        </button>
      )}
    </div>
  )
}
