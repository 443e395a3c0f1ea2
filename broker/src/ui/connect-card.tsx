import { useState } from 'preact/hooks'
import type { ConnectCard as Ask, ConnectOutcome, WaitingCard as Waiting } from '../prompts.ts'
import { AppWords } from './app-words.tsx'
import { AnswerButton, Card } from './card.tsx'
import { Icon } from './icons.tsx'
import { OriginName } from './origin-name.tsx'
import { useSpeech } from './speech-context.ts'
import { useCard } from './use-card.ts'
import { WaitingLine } from './waiting-line.tsx'

/** The card that stands before the sign-in window. Its yes opens that window and gives nothing by itself. */
export const ConnectCard = ({ ask, finish }: { readonly ask: Ask; readonly finish: (outcome: ConnectOutcome) => void }) => {
  const { text } = useSpeech()
  const [blocked, setBlocked] = useState(false)
  const state = useCard(() => finish('declined'))
  const { title, text: lead } = text.connect[ask.purpose === 'sign-in' ? 'signIn' : ask.purpose]
  const go = { 'sign-in': text.connect.go, connect: text.connect.goConnect, unlock: text.connect.goUnlock }[ask.purpose]
  const open = (event: Event): void => {
    if (!event.isTrusted) return
    if (ask.open() === null) setBlocked(true)
    else finish('opened')
  }
  return (
    <Card
      state={state}
      title={title}
      note={blocked ? text.card.blocked : ''}
      actions={
        <>
          <AnswerButton id="deny" effect="refuse" kind="plain" state={state} first>
            {text.card.notNow}
          </AnswerButton>
          <button type="button" class="button primary" onClick={open}>
            {go}
          </button>
        </>
      }
    >
      <OriginName origin={ask.app.origin} host={ask.app.host} />
      <p>{lead}</p>
      {ask.words !== undefined && <AppWords host={ask.app.host} words={ask.words} />}
      <ul class="points">
        {text.connect.points.map(point => (
          <li key={point}>
            <Icon name="check" />
            {point}
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** The card shown while the person is busy in the window. */
export const WaitingCard = ({ waiting }: { readonly waiting: Waiting }) => {
  const { text } = useSpeech()
  const state = useCard(() => waiting.cancel())
  return (
    <Card
      state={state}
      title={text.connect.waiting.title}
      note=""
      actions={
        <>
          <AnswerButton id="deny" effect="refuse" kind="plain" state={state} first>
            {text.common.cancel}
          </AnswerButton>
          <button type="button" class="button primary" onClick={() => waiting.focus()}>
            {text.connect.toWindow}
          </button>
        </>
      }
    >
      <OriginName origin={waiting.app.origin} host={waiting.app.host} />
      <WaitingLine>{text.connect.waiting.text}</WaitingLine>
    </Card>
  )
}
