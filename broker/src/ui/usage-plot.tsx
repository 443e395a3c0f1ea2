import { useSpeech } from './speech-context.ts'

/** A day and its bytes. */
export interface UsageDay {
  readonly day: string
  readonly bytes: number
}

const width = 600
const height = 80
const gap = 4

/** Bytes of each day as bars; told in words to whoever does not see them. */
export const UsagePlot = ({
  days,
  id,
  label,
  says,
}: {
  readonly days: readonly UsageDay[]
  /** Names the plot within the page. */
  readonly id: string
  readonly label: string
  /** What the bars say, in one sentence. */
  readonly says: string
}) => {
  const { formats } = useSpeech()
  const most = Math.max(...days.map(({ bytes }) => bytes), 1)
  const step = width / Math.max(1, days.length)
  if (days.length === 0) return null
  const dateOf = (day: string): string => formats.date(Date.parse(`${day}T12:00:00`))
  return (
    <figure class="plot">
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-labelledby={`${id} ${id}-says`}>
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
        <span id={id}>{label}</span>
        <span id={`${id}-says`}>{says}</span>
      </figcaption>
    </figure>
  )
}
