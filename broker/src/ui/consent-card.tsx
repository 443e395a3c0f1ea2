import type { FrameConsentAnswer } from '@deputy/contract/consent'
import { useState } from 'preact/hooks'
import { rowName, type ConsentRow } from '../consent/rows.ts'
import type { Control } from '../overlay/answer-gate.ts'
import { AnswerButton, Card } from './card.tsx'
import { ConsentRowView, type Choice } from './consent-row.tsx'
import { OriginName } from './origin-name.tsx'
import { useSpeech } from './speech-context.ts'
import { useCard } from './use-card.ts'

/** What the card shows and where its answers go. */
export interface ConsentAsk {
  readonly app: { readonly origin: string; readonly host: string }
  readonly rows: readonly ConsentRow[]
  /** Where it may be answered: here, or only in a window of its own. */
  readonly here: boolean
  /** Opens that window inside a click; false when the browser blocked it. Absent in the window itself. */
  readonly toWindow?: () => boolean
  readonly finish: (answers: readonly FrameConsentAnswer[]) => void
}

/** One card with a row per request and a choice for each (CNS-1). */
export const ConsentCard = ({ ask }: { readonly ask: ConsentAsk }) => {
  const { text } = useSpeech()
  const { rows } = ask
  const [blocked, setBlocked] = useState(false)
  // A strong permission is never chosen beforehand.
  const [choices, setChoices] = useState<readonly Choice[]>(() => rows.map(row => (row.severity >= 3 ? 'no' : 'session')))
  const state = useCard(({ id }: Control) => {
    const all = (answer: FrameConsentAnswer): FrameConsentAnswer[] => rows.map(() => answer)
    if (id === 'once' || id === 'session') ask.finish(all(id))
    else if (id === 'chosen') ask.finish(choices.map(choice => (choice === 'no' ? false : choice)))
    else ask.finish(all(false))
  })
  const [only] = rows
  const single = rows.length === 1 && only !== undefined
  const inWindow = ask.toWindow !== undefined && (!ask.here || state.hidden !== undefined)
  const toWindow = (event: Event): void => {
    if (event.isTrusted && ask.toWindow?.() === false) setBlocked(true)
  }
  return (
    <Card
      state={state}
      title={single ? text.consent.title : text.consent.titleMany}
      {...(blocked ? { note: text.card.blocked } : ask.here ? {} : { note: text.card.inWindowWhy })}
      actions={
        <>
          <AnswerButton id="deny" effect="refuse" kind="plain" state={state} first>
            {text.card.deny}
          </AnswerButton>
          {ask.here && single && 'key' in only.subject && (
            <>
              <AnswerButton id="session" effect="grant" kind="plain" state={state}>
                {text.consent.untilRemoved}
              </AnswerButton>
              <AnswerButton id="once" effect="grant" kind="primary" state={state}>
                {text.consent.allowOnce}
              </AnswerButton>
            </>
          )}
          {ask.here && single && !('key' in only.subject) && (
            <AnswerButton id="session" effect="grant" kind="primary" state={state}>
              {text.consent.allow}
            </AnswerButton>
          )}
          {ask.here && !single && (
            <AnswerButton id="chosen" effect="grant" kind="primary" state={state}>
              {text.consent.allowChosen}
            </AnswerButton>
          )}
          {inWindow && (
            <button type="button" class="button primary" onClick={toWindow}>
              {text.card.inWindow}
            </button>
          )}
        </>
      }
    >
      <OriginName origin={ask.app.origin} host={ask.app.host} />
      <p>{rows.every(({ subject }) => 'group' in subject) ? text.network.lead : text.consent.lead}</p>
      <ul class="rows">
        {rows.map((row, index) => (
          <ConsentRowView
            key={rowName(row)}
            row={row}
            name={`row-${index}`}
            {...(single || !ask.here
              ? {}
              : { choice: choices[index] ?? 'no', choose: (choice: Choice) => setChoices(choices.map((other, at) => (at === index ? choice : other))) })}
          />
        ))}
      </ul>
    </Card>
  )
}
