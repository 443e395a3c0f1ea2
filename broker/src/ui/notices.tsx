import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './icons.tsx'
import { useFrame } from './frame-context.ts'
import { useSpeech } from './speech-context.ts'

/** A line with at most one thing to press. */
export interface ShownNotice {
  readonly id: number
  readonly text: string
  readonly tone: 'calm' | 'warning'
  readonly action?: { readonly label: string; readonly run: () => void }
}

const NoticeView = ({ notice, dismiss }: { readonly notice: ShownNotice; readonly dismiss: () => void }) => {
  const { overlay } = useFrame()
  const { text } = useSpeech()
  const ref = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const surface = ref.current === null ? undefined : overlay.show('notice', ref.current)
    return () => surface?.close()
  }, [overlay])
  return (
    <div ref={ref} class={`notice surface ${notice.tone}`}>
      <Icon name={notice.tone === 'calm' ? 'check' : 'warning'} />
      <p>
        <bdi>{notice.text}</bdi>
      </p>
      {notice.action !== undefined && (
        <button type="button" class="button quiet" onClick={notice.action.run}>
          {notice.action.label}
        </button>
      )}
      <button type="button" class="button icon-only" aria-label={text.common.close} onClick={dismiss}>
        <Icon name="cross" />
      </button>
    </div>
  )
}

/** Passing lines at the bottom; the region is always there, so that screen readers hear what enters it. */
export const Notices = ({ notices, dismiss }: { readonly notices: readonly ShownNotice[]; readonly dismiss: (id: number) => void }) => (
  <div class="notices" role="status">
    {notices.map(notice => (
      <NoticeView key={notice.id} notice={notice} dismiss={() => dismiss(notice.id)} />
    ))}
  </div>
)
