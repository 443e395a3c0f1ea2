import { listAccountObjects, readUsage, removeObject } from '@deputy/contract/api-objects'
import type { RouteAnswer } from '@deputy/contract/api'
import { useLayoutEffect, useState } from 'preact/hooks'
import { answered, useAccount, useRoute, useTelling } from './account-context.ts'
import { hostOf } from './account-sessions.tsx'
import { Icon } from './icons.tsx'
import { useSpeech } from './speech-context.ts'
import { SureButton } from './sure-button.tsx'
import { UsageMeter } from './usage-meter.tsx'

type Page = RouteAnswer<typeof listAccountObjects>
const pageSize = 20

/** What the account stores, app by app, and how much room is left. */
export const Objects = () => {
  const { text, formats } = useSpeech()
  const { call, say } = useAccount()
  const tell = useTelling()
  const usage = useRoute(readUsage, {}).value
  const first = useRoute(listAccountObjects, { limit: pageSize }).value
  const [more, setMore] = useState<readonly Page[]>([])
  useLayoutEffect(() => setMore([]), [first])
  const pages = first === undefined ? [] : [first, ...more]
  const objects = pages.flatMap(page => page.objects)
  const cursor = pages.at(-1)?.cursor
  const byApp = Map.groupBy(objects, ({ app }) => app)

  const readOn = async (): Promise<void> => {
    if (cursor === undefined) return
    const outcome = await call(listAccountObjects, { limit: pageSize, cursor })
    if (answered(outcome)) setMore([...more, outcome.value])
    else say(text.account.failed, 'warning')
  }
  const remove = async (id: string): Promise<void> => {
    tell(await call(removeObject, { id }), text.account.done.objectDeleted)
  }
  return (
    <section class="panel" aria-labelledby="objects">
      <h2 id="objects">{text.account.sections.objects}</h2>
      <p class="soft">{text.account.objectsText}</p>
      {usage !== undefined && (
        <UsageMeter label={text.account.usageLabel} used={usage.usedBytes} limit={usage.limitBytes}>
          <span>{text.account.usage(formats.bytes(usage.usedBytes), formats.bytes(usage.limitBytes))}</span>
          <span>{text.account.usageObjects(usage.objects, usage.maxObjects, formats)}</span>
        </UsageMeter>
      )}
      {first?.objects.length === 0 && <p>{text.account.noObjects}</p>}
      {[...byApp].map(([app, held]) => (
        <div key={app} class="stack tight">
          <h3>
            <bdi>{hostOf(app)}</bdi>
          </h3>
          <ul class="entries">
            {held.map(({ id, size, created, status }) => (
              <li key={id} class="entry">
                <Icon name="storage" />
                <div class="entry-text">
                  <span class="entry-title">{formats.bytes(size)}</span>
                  <span class="soft">{status === 'uploading' ? text.account.uploading : formats.ago(created)}</span>
                </div>
                <SureButton
                  label={text.account.deleteObjectOf(formats.bytes(size), formats.ago(created))}
                  question={text.account.deleteSure}
                  sure={text.account.deleteObject}
                  run={() => remove(id)}
                >
                  {text.account.deleteObject}
                </SureButton>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {cursor !== undefined && (
        <button type="button" class="button plain" onClick={() => void readOn()}>
          {text.account.more}
        </button>
      )}
    </section>
  )
}
