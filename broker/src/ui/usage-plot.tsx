import { useSpeech } from './speech-context.ts'

/** A day and what was stored at its end. */
export interface UsageDay {
  readonly day: string
  readonly bytes: number
}

const width = 600
const height = 80
const gap = 4

/** What was stored at the end of each day, as bars; told in words to whoever does not see them. */
export const UsagePlot = ({ days }: { readonly days: readonly UsageDay[] }) => {
  const { text, formats } = useSpeech()
  const most = Math.max(...days.map(({ bytes }) => bytes), 1)
  const step = width / Math.max(1, days.length)
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return null
  const dateOf = (day: string): string => formats.date(Date.parse(`${day}T12:00:00`))
  return (
    <figure class="plot">
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-labelledby="usage-plot usage-plot-says">
        {days.map(({ day, bytes }, index) => {
          const tall = bytes === 0 ? 1 : Math.max(3, (bytes / most) * height)
          return (
            <rect key={day} x={index * step + gap / 2} y={height - tall} width={step - gap} height={tall} rx={2}>
              <title>{`${dateOf(day)}: ${formats.bytes(bytes)}`}</title>
            </rect>
          )
        })}
      </svg>
      <figcaption class="soft">
        <span id="usage-plot">{text.accountFiles.plot}</span>
        <span id="usage-plot-says">{text.accountFiles.plotSays(formats, first.bytes, last.bytes, most === 1 ? last.bytes : most)}</span>
      </figcaption>
    </figure>
  )
}
