import type { ConflictChoice, ConflictSide } from '@deputy/contract/fs'
import { useCallback, useState } from 'preact/hooks'
import type { AdoptCard as Adopt, ConflictCard as Conflict } from '../prompts.ts'
import { AnswerButton, Card } from './card.tsx'
import { OriginName } from './origin-name.tsx'
import { useSpeech } from './speech-context.ts'
import { useCard } from './use-card.ts'
import { useChange } from './use-change.ts'

/** Asks whether files of this browser shall go into the account; where the app announced the work, it is done while the card is up. */
export const AdoptFilesCard = ({ ask, finish }: { readonly ask: Adopt; readonly finish: (answer: boolean) => void }) => {
  const { text, formats } = useSpeech()
  const words = text.files.adopt
  const { source, request } = ask
  const [working, setWorking] = useState<'no' | 'yes' | 'failed'>('no')
  const state = useCard(() => finish(false))
  useChange(useCallback(listener => source?.onChange(listener) ?? (() => {}), [source]))
  const go = (event: Event): void => {
    if (!event.isTrusted || working === 'yes') return
    if (source === null) return finish(true)
    setWorking('yes')
    source.run().then(
      () => finish(true),
      () => setWorking('failed'),
    )
  }
  const done = source === null ? 0 : Math.min(request.files, Math.max(0, request.files - source.left().files))
  return (
    <Card
      state={state}
      title={words.title}
      note={working === 'failed' ? words.failed : ''}
      actions={
        <>
          <AnswerButton id="deny" effect="refuse" kind="plain" state={state} first>
            {working === 'yes' ? text.common.cancel : text.card.notNow}
          </AnswerButton>
          <button type="button" class="button primary" data-choice="adopt" aria-disabled={working === 'yes' ? 'true' : undefined} onClick={go}>
            {working === 'failed' ? text.common.retry : words.go}
          </button>
        </>
      }
    >
      <OriginName origin={ask.app.origin} host={ask.app.host} />
      <p class="amount">{words.amount(formats, request.files, request.bytes)}</p>
      {working === 'yes' ? (
        <div class="moving">
          <p id="moving" role="status">
            {words.working}: {words.progress(formats, done, request.files)}
          </p>
          <progress aria-labelledby="moving" max={request.files} value={done} />
        </div>
      ) : (
        <p>{words.text}</p>
      )}
    </Card>
  )
}

/** Asks which of two states of one file shall stay. Whatever is not chosen is lost, so nothing is chosen beforehand. */
export const ConflictFilesCard = ({ ask, finish }: { readonly ask: Conflict; readonly finish: (choice: ConflictChoice) => void }) => {
  const { text } = useSpeech()
  const words = text.files.conflict
  const { path, local, cloud } = ask.request
  const state = useCard(() => finish(null))
  const choose =
    (choice: ConflictChoice) =>
    (event: Event): void => {
      if (event.isTrusted) finish(choice)
    }
  return (
    <Card
      state={state}
      title={words.title}
      note=""
      actions={
        <>
          <AnswerButton id="deny" effect="refuse" kind="plain" state={state} first>
            {words.both}
          </AnswerButton>
          <button type="button" class="button plain" data-choice="local" onClick={choose('local')}>
            {words.keepHere}
          </button>
          <button type="button" class="button plain" data-choice="cloud" onClick={choose('cloud')}>
            {words.keepAccount}
          </button>
        </>
      }
    >
      <OriginName origin={ask.app.origin} host={ask.app.host} />
      <p>{words.text}</p>
      <p class="file-path">
        <span class="soft">{words.file}</span>
        <bdi>{path}</bdi>
      </p>
      <dl class="sides">
        <Side title={words.here} side={local} />
        <Side title={words.account} side={cloud} />
      </dl>
    </Card>
  )
}

const Side = ({ title, side }: { readonly title: string; readonly side: ConflictSide }) => {
  const { text, formats } = useSpeech()
  const time = side.updatedAt === null ? Number.NaN : Date.parse(side.updatedAt)
  return (
    <div class="side">
      <dt>{title}</dt>
      <dd>{formats.bytes(side.size)}</dd>
      <dd>
        {Number.isNaN(time) ? (
          text.files.conflict.unknownTime
        ) : (
          <>
            {formats.ago(time)}
            <br />
            <span class="soft">{formats.moment(time)}</span>
          </>
        )}
      </dd>
    </div>
  )
}
