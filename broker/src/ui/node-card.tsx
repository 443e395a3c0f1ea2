import { useState } from 'preact/hooks'
import type { NodeCard as Ask } from '../prompts.ts'
import { AnswerButton, Card } from './card.tsx'
import { OriginName } from './origin-name.tsx'
import { useSpeech } from './speech-context.ts'
import { useCard } from './use-card.ts'

/** Asks through which node the app's tunnel goes. */
export const NodeCard = ({ ask, finish }: { readonly ask: Ask; readonly finish: (id: string | null) => void }) => {
  const { text } = useSpeech()
  const words = text.network.node
  const [picked, setPicked] = useState(ask.chosen)
  const state = useCard(({ id }) => finish(id === 'use' ? picked : null))
  return (
    <Card
      state={state}
      title={words.title}
      actions={
        <>
          <AnswerButton id="deny" effect="refuse" kind="plain" state={state} first>
            {text.card.notNow}
          </AnswerButton>
          <AnswerButton id="use" effect="grant" kind="primary" state={state}>
            {words.go}
          </AnswerButton>
        </>
      }
    >
      <OriginName origin={ask.app.origin} host={ask.app.host} />
      <p>{words.text}</p>
      <fieldset class="choices nodes">
        <legend>{words.legend}</legend>
        {ask.nodes.map(({ id, title }) => (
          <label key={id}>
            <input type="radio" name="node" value={id} checked={picked === id} onChange={() => setPicked(id)} />
            <span>
              <bdi>{title}</bdi>
              {id === ask.chosen && ` (${words.now})`}
            </span>
          </label>
        ))}
      </fieldset>
      <p class="soft">{words.ends}</p>
    </Card>
  )
}
