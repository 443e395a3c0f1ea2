import type { ComponentChildren } from 'preact'

/** How much of something is used, with words below; from `high` on it is close to full. */
export const UsageMeter = ({
  label,
  used,
  limit,
  high = limit * 0.95,
  children,
}: {
  readonly label: string
  readonly used: number
  readonly limit: number
  readonly high?: number
  readonly children: ComponentChildren
}) => (
  <div class="stack tight">
    <meter class="usage" aria-label={label} min={0} max={limit} low={limit * 0.8} high={high} optimum={0} value={used} />
    <p class="spread soft">{children}</p>
  </div>
)
