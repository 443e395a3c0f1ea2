const width = 600
const height = 140
const perMegabyte = 1_000_000

/** A speed for people, in megabytes a second. */
export const rate = (bytesPerSecond: number): string =>
  `${new Intl.NumberFormat(undefined, { maximumFractionDigits: bytesPerSecond < 10 * perMegabyte ? 2 : 0 }).format(bytesPerSecond / perMegabyte)} MB/s`

/** The next speed that is good to read off: 1, 2 or 5 with zeros. */
function roundUp(speed: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, speed)))
  return ([1, 2, 5, 10].find(step => step * power >= speed) ?? 10) * power
}

/** Speeds over time; told in words to whoever does not see them. */
export function Plot({ samples, everyMs, wholeMs }: { readonly samples: readonly number[]; readonly everyMs: number; readonly wholeMs: number }) {
  const top = roundUp(Math.max(...samples))
  const step = width / (wholeMs / everyMs)
  const points = samples.map((speed, at) => `${Math.min(width, (at + 1) * step)},${height - (speed / top) * height}`)
  const first = `0,${height - ((samples[0] ?? 0) / top) * height}`
  const line = [first, ...points].join(' ')
  const says = `Speed over ${((samples.length * everyMs) / 1000).toFixed(0)} seconds, at most ${rate(Math.max(...samples))}`
  return (
    <figure class="speed">
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={says}>
        {[0.25, 0.5, 0.75].map(share => (
          <line key={share} x1="0" x2={width} y1={height * share} y2={height * share} />
        ))}
        <polygon points={`0,${height} ${line} ${Math.min(width, samples.length * step)},${height}`} />
        <polyline points={line} />
      </svg>
      <figcaption aria-hidden="true">
        <span>{rate(top)}</span>
        <span>{wholeMs / 1000} s</span>
      </figcaption>
    </figure>
  )
}
