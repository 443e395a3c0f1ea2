/**
 * Whether the frame stayed where it is on the screen while a pointer crossed it. The frame cannot ask where it is, but each pointer
 * event tells its place twice, within the frame and on the screen: as long as the frame does not move, the two differ by a constant.
 * The page's zoom scales one of the two and cannot be read either, so every zoom a browser offers is tried.
 */
const zooms = [1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 0.9, 0.8, 0.75, 0.67, 0.5, 0.33, 0.25] as const
const tolerance = 2

/** One pointer event: place within the frame (CSS pixels) and on the screen. */
export interface Sample {
  readonly at: number
  readonly x: number
  readonly y: number
  readonly screenX: number
  readonly screenY: number
}

/** A run of samples during which the frame did not move. */
export interface Run {
  readonly since: number
  readonly first: Sample
  /** The zooms that explain every sample of the run. */
  readonly zooms: readonly number[]
}

const explains = (zoom: number, a: Sample, b: Sample): boolean =>
  Math.abs(b.screenX - a.screenX - (b.x - a.x) * zoom) <= tolerance * Math.max(1, zoom) &&
  Math.abs(b.screenY - a.screenY - (b.y - a.y) * zoom) <= tolerance * Math.max(1, zoom)

/** The run with one more sample; a new run when the frame moved. */
export function follow(run: Run | undefined, sample: Sample): Run {
  const fitting = run?.zooms.filter(zoom => explains(zoom, run.first, sample)) ?? []
  return run === undefined || fitting.length === 0 ? { since: sample.at, first: sample, zooms } : { ...run, zooms: fitting }
}
