import type { ComponentChildren } from 'preact'
import { Brand } from './brand.tsx'
import type { Catalogue } from '../strings/catalogue.ts'
import { useSpeech } from './speech-context.ts'
import type { CardState } from './use-card.ts'

/** The frame of every card: who speaks, what it is about, what can be said. */
export const Card = ({
  state,
  title,
  note,
  children,
  actions,
}: {
  readonly state: CardState
  readonly title: ComponentChildren
  /** Takes the place of what the card says of itself. */
  readonly note?: ComponentChildren
  readonly children: ComponentChildren
  readonly actions: ComponentChildren
}) => {
  const { text } = useSpeech()
  const { cardRef, ready } = state
  return (
    <div class="scrim">
      <div
        ref={cardRef}
        class="card surface"
        role="dialog"
        aria-modal="true"
        aria-labelledby="card-title card-origin"
        aria-describedby="card-body"
        data-ready={ready ? 'true' : 'false'}
      >
        <div class="card-scroll" data-scroll="">
          <Brand product={text.common.product} />
          <h1 id="card-title">{title}</h1>
          <div id="card-body" class="card-body">
            {children}
          </div>
        </div>
        <p class="card-note" role="status">
          {note ?? noteOf(state, text.card)}
        </p>
        <div class="card-actions">{actions}</div>
      </div>
    </div>
  )
}

const noteOf = ({ hidden, ignored, confirming, unread }: CardState, text: Catalogue['card']): string => {
  if (hidden?.cause === 'clipped') return text.clipped
  if (hidden !== undefined) return text.covered
  if (unread) return text.readOn
  if (ignored === 'too-soon' || ignored === 'sudden') return text.tooSoon
  return confirming === undefined ? '' : text.pressAgain
}

/** A button whose press the gate judges. `once more` is asked where the browser cannot tell that the card is in full sight. */
export const AnswerButton = ({
  id,
  effect,
  state,
  kind,
  first,
  children,
}: {
  readonly id: string
  readonly effect: 'grant' | 'refuse'
  readonly state: CardState
  readonly kind: 'primary' | 'plain' | 'quiet'
  readonly first?: boolean
  readonly children: ComponentChildren
}) => {
  const { text } = useSpeech()
  const waits = effect === 'grant' && !state.ready
  return (
    <button
      type="button"
      class={`button ${kind}`}
      data-answer={id}
      data-effect={effect}
      data-first={first === true ? '' : undefined}
      aria-disabled={waits ? 'true' : undefined}
    >
      {state.confirming === id ? text.card.confirm : children}
    </button>
  )
}
