import { useState } from 'preact/hooks'
import type { ClaimsCard as Ask } from '../prompts.ts'
import { AnswerButton, Card } from './card.tsx'
import { OriginName } from './origin-name.tsx'
import { useSpeech } from './speech-context.ts'
import { useCard } from './use-card.ts'
import { WaitingLine } from './waiting-line.tsx'

/** The card shown while a claim waits for a room to be unclaimed. It shows nothing of the rooms; those are in the window it opens. */
export const ClaimsCard = ({ ask, giveUp }: { readonly ask: Ask; readonly giveUp: () => void }) => {
  const { text } = useSpeech()
  const [blocked, setBlocked] = useState(false)
  const state = useCard(() => giveUp())
  const open = (event: Event): void => {
    if (event.isTrusted) setBlocked(ask.open() === null)
  }
  return (
    <Card
      state={state}
      title={text.claims.title}
      note={blocked ? text.card.blocked : ''}
      actions={
        <>
          <AnswerButton id="deny" effect="refuse" kind="plain" state={state} first>
            {text.card.notNow}
          </AnswerButton>
          <button type="button" class="button primary" onClick={open}>
            {text.claims.go}
          </button>
        </>
      }
    >
      <OriginName origin={ask.app.origin} host={ask.app.host} />
      <p>{text.claims.text}</p>
      <WaitingLine soft>{text.claims.waiting}</WaitingLine>
    </Card>
  )
}
