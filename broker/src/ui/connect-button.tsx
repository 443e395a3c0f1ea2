import { useLayoutEffect, useState } from 'preact/hooks'
import type { Connecting } from '../connecting/connecting.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { Mark } from './brand.tsx'
import type { ButtonPrompts } from './button-prompts.ts'
import { Icon } from './icons.tsx'
import { useSpeech } from './speech-context.ts'
import { useChange } from './use-change.ts'

/** The button an app puts into its page: connects in its own click, and says so once connected, here or in another tab. */
export const ConnectButton = ({
  sessions,
  connecting,
  prompts,
}: {
  readonly sessions: Sessions
  readonly connecting: Connecting
  readonly prompts: ButtonPrompts
}) => {
  const { text } = useSpeech()
  const [name, setName] = useState<string | null>()
  useChange(prompts.onChange)
  useLayoutEffect(() => {
    let ended = false
    // The window must open within the click, so everything it needs is made ready beforehand, again after each try.
    const arm = async (): Promise<void> => {
      while (!ended && !(await connecting.connect('connect')));
    }
    const read = async (): Promise<void> => {
      const session = await sessions.current()
      if (ended) return
      setName(session?.account.name ?? null)
      if (session === null) void arm()
    }
    void read()
    const silence = sessions.onChange(() => void read())
    return () => {
      ended = true
      silence()
    }
  }, [sessions, connecting])

  if (name === undefined) return null
  if (name !== null)
    return (
      <main class="connect-button">
        <p class="button plain" role="status">
          <Icon name="check" />
          <bdi>{text.button.connected(name)}</bdi>
        </p>
      </main>
    )
  const label = prompts.state === 'waiting' ? text.button.waiting : prompts.state === 'blocked' ? text.button.blocked : text.button.connect
  return (
    <main class="connect-button">
      <button type="button" class="button primary" disabled={prompts.state === 'preparing'} onClick={() => prompts.press()}>
        <Mark />
        <span>{label}</span>
      </button>
    </main>
  )
}
