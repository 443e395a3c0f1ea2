import { readTunnelQuota, readTunnelUse } from '@deputy/contract/api-tunnel'
import type { Quota } from '@deputy/contract/cloud'
import type { RouteAnswer } from '@deputy/contract/api'
import { useRoute } from './account-context.ts'
import { hostOf } from './account-sessions.tsx'
import { Icon } from './icons.tsx'
import { useSpeech } from './speech-context.ts'
import { UsagePlot, type UsageDay } from './usage-plot.tsx'

type Use = RouteAnswer<typeof readTunnelUse>['days'][number]

const shownDays = 30
const dayLength = 86_400_000
/** The end of the day of a quota, at midnight UTC. */
const dayEnd = (): number => (Math.floor(Date.now() / dayLength) + 1) * dayLength
const sumOf = (uses: readonly Use[]): { sent: number; received: number } => ({
  sent: uses.reduce((sum, { sent }) => sum + sent, 0),
  received: uses.reduce((sum, { received }) => sum + received, 0),
})

/** What apps sent and received through the tunnel: today against the quota, day by day, and app by app. */
export const Network = () => {
  const { text, formats } = useSpeech()
  const words = text.network
  const quota = useRoute(readTunnelQuota, {}).value
  const { value, failed } = useRoute(readTunnelUse, {})
  const days = value === undefined ? [] : wholeDays(value.days)
  const most = Math.max(0, ...days.map(({ bytes }) => bytes))
  return (
    <section class="panel" aria-labelledby="network">
      <h2 id="network">{words.section}</h2>
      <p class="soft">{words.text}</p>
      {quota !== undefined && <Today quota={quota} />}
      {failed && value === undefined && <p>{words.failed}</p>}
      {value?.days.length === 0 && <p>{words.none}</p>}
      {most > 0 && (
        <UsagePlot
          days={days}
          id="network-plot"
          label={words.plot}
          says={words.plotSays(
            formats,
            days.reduce((sum, { bytes }) => sum + bytes, 0),
            most,
          )}
        />
      )}
      {value !== undefined && value.days.length > 0 && (
        <ul class="entries">
          {[...Map.groupBy(value.days, ({ app }) => app)].map(([app, uses]) => (
            <AppUse key={app} host={hostOf(app)} uses={uses} />
          ))}
        </ul>
      )}
    </section>
  )
}

const Today = ({ quota: { bytesPerSecond, limitBytes, overQuota, usedBytes } }: { readonly quota: Quota }) => {
  const { text, formats } = useSpeech()
  const words = text.network
  // Where nothing limits, the service says the greatest number there is.
  const isLimited = limitBytes < Number.MAX_SAFE_INTEGER
  return (
    <div class="stack tight">
      {isLimited && (
        <meter
          class="usage"
          aria-label={words.usedLabel}
          min={0}
          max={limitBytes}
          low={limitBytes * 0.8}
          high={limitBytes * 0.95}
          optimum={0}
          value={usedBytes}
        />
      )}
      <p class="spread soft">
        <span>{isLimited ? words.used(formats.bytes(usedBytes), formats.bytes(limitBytes)) : words.usedFreely(formats.bytes(usedBytes))}</span>
        {bytesPerSecond < Number.MAX_SAFE_INTEGER && <span>{words.rate(formats.bytes(bytesPerSecond))}</span>}
      </p>
      {overQuota && <p class="caution-line">{words.over(formats.time(dayEnd()))}</p>}
    </div>
  )
}

const AppUse = ({ host, uses }: { readonly host: string; readonly uses: readonly Use[] }) => {
  const { text, formats } = useSpeech()
  const words = text.network
  const { sent, received } = sumOf(uses)
  return (
    <li class="entry">
      <Icon name="network" />
      <div class="entry-text">
        <bdi class="entry-title">{host}</bdi>
        <span class="soft">{words.app(formats, sent, received)}</span>
        <details>
          <summary>{words.perDay(host)}</summary>
          <table class="use-days">
            <thead>
              <tr>
                <th scope="col">{words.columns.day}</th>
                <th scope="col">{words.columns.sent}</th>
                <th scope="col">{words.columns.received}</th>
              </tr>
            </thead>
            <tbody>
              {uses.toReversed().map(use => (
                <tr key={use.day}>
                  <th scope="row">{formats.date(Date.parse(`${use.day}T12:00:00`))}</th>
                  <td>{formats.bytes(use.sent)}</td>
                  <td>{formats.bytes(use.received)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      </div>
    </li>
  )
}

/** Each of the last days (UTC), those without use as zero. */
function wholeDays(uses: readonly Use[]): UsageDay[] {
  const byDay = Map.groupBy(uses, ({ day }) => day)
  const today = Math.floor(Date.now() / dayLength)
  return Array.from({ length: shownDays }, (_, index) => {
    const day = new Date((today - shownDays + 1 + index) * dayLength).toISOString().slice(0, 10)
    const { sent, received } = sumOf(byDay.get(day) ?? [])
    return { day, bytes: sent + received }
  })
}
