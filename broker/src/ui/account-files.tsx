import { listFileApps, readFileUsage, removeAppFiles } from '@deputy/contract/api-files'
import { useState } from 'preact/hooks'
import { answered, useAccount, useRoute, useTelling } from './account-context.ts'
import { hostOf } from './account-sessions.tsx'
import { Resealing } from './account-resealing.tsx'
import { AppFiles } from './app-files.tsx'
import { Icon } from './icons.tsx'
import { useSpeech } from './speech-context.ts'
import { SureButton } from './sure-button.tsx'
import { UsageMeter } from './usage-meter.tsx'
import { UsagePlot } from './usage-plot.tsx'

/** The files apps keep for the account: how much room they take, and app by app what they are. */
export const Files = () => {
  const { text, formats } = useSpeech()
  const { call } = useAccount()
  const tell = useTelling()
  const [shown, setShown] = useState<string | null>(null)
  const usage = useRoute(readFileUsage, {}).value
  const { value, failed } = useRoute(listFileApps, {})
  const words = text.accountFiles

  const removeAll = async (app: string): Promise<void> => {
    const outcome = await call(removeAppFiles, { app, name: null }, { deadline: 60_000 })
    if (answered(outcome)) setShown(null)
    tell(outcome, words.done.deletedAll)
  }
  return (
    <section class="panel" aria-labelledby="files">
      <h2 id="files">{words.section}</h2>
      <p class="soft">{words.text}</p>
      {failed && value === undefined && <p>{words.failed}</p>}
      {value?.apps.length === 0 && <p>{words.none}</p>}
      {usage !== undefined && usage.files > 0 && (
        <UsageMeter label={words.usageLabel} used={usage.usedBytes} limit={usage.limitBytes}>
          <span>{words.used(formats.bytes(usage.usedBytes), formats.bytes(usage.limitBytes))}</span>
          <span>{text.account.usageObjects(usage.files, usage.maxFiles, formats)}</span>
        </UsageMeter>
      )}
      {value !== undefined && value.days.some(({ bytes }) => bytes > 0) && (
        <UsagePlot
          days={value.days}
          id="usage-plot"
          label={words.plot}
          says={words.plotSays(formats, value.days[0]?.bytes ?? 0, value.days.at(-1)?.bytes ?? 0, Math.max(...value.days.map(({ bytes }) => bytes)))}
        />
      )}
      {value !== undefined && <Resealing apps={value.apps} />}
      {value !== undefined && value.apps.length > 0 && (
        <ul class="entries">
          {value.apps.map(({ app, files, bytes }) => {
            const host = hostOf(app)
            const open = shown === app
            return (
              <li key={app} class="entry">
                <Icon name="storage" />
                <div class="entry-text">
                  <bdi class="entry-title">{host}</bdi>
                  <span class="soft">{words.holds(formats, files, bytes)}</span>
                </div>
                <div class="inline">
                  <button
                    type="button"
                    class="button quiet"
                    aria-expanded={open}
                    aria-label={open ? words.hideOf(host) : words.showOf(host)}
                    onClick={() => setShown(open ? null : app)}
                  >
                    {open ? words.hide : words.show}
                  </button>
                  <SureButton label={words.deleteAllOf(host)} question={words.deleteAllSure(host)} sure={words.deleteAll} run={() => removeAll(app)}>
                    {words.deleteAll}
                  </SureButton>
                </div>
                {open && <AppFiles app={app} host={host} />}
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}
