import './frame.css'
import type { FrameConsentAnswer } from '@deputy/contract/consent'
import { useState } from 'preact/hooks'
import { identify } from '../app-identity.ts'
import { overlayOf } from '../overlay/overlay.ts'
import { ConsentCard } from './consent-card.tsx'
import { windowAsk, type WindowAsk } from './consent-window.ts'
import { FrameProvider } from './frame-context.ts'
import { Column, drawPage } from './page.tsx'
import { useSpeech } from './speech-context.ts'

/** The same card as in the frame, in a window where nothing can lie over it. */
const ConsentWindow = ({ ask }: { readonly ask: WindowAsk | null }) => {
  const { text } = useSpeech()
  const [done, setDone] = useState(false)
  if (ask === null || done)
    return (
      <Column>
        <h1>{ask === null ? text.signIn.cutOff.title : text.consent.windowTitle}</h1>
        <p>{ask === null ? text.signIn.problems.expired : text.consent.windowDone}</p>
      </Column>
    )
  const finish = (answers: readonly FrameConsentAnswer[]): void => {
    ask.answer(answers)
    setDone(true)
    window.close()
  }
  return <ConsentCard ask={{ app: identify(ask.origin), rows: ask.rows, here: true, finish }} />
}

const ask = await windowAsk(window)
drawPage(
  ({ text }) => text.consent.windowTitle,
  <FrameProvider value={{ overlay: overlayOf(window), view: window }}>
    <ConsentWindow ask={ask} />
  </FrameProvider>,
)
