import type { Words } from '../rooms/words.ts'

/** The board is so many units wide and high, however large it is shown. */
export const board = { width: 1000, height: 600 } as const

/** A line one member drew. */
export interface Stroke {
  readonly by: string
  readonly colour: number
  /** x, y, x, y… */
  readonly points: readonly number[]
}

/** Where a member points, until they leave the board. */
export interface Cursor {
  readonly x: number
  readonly y: number
  readonly isAway: boolean
}

/** What is on the board. */
export interface Drawing {
  /** By `<member>/<stroke>`, oldest first. */
  readonly strokes: ReadonlyMap<string, Stroke>
  readonly cursors: ReadonlyMap<string, Cursor>
}

export const emptyDrawing: Drawing = { strokes: new Map(), cursors: new Map() }

const mostStrokes = 800
const mostPoints = 4000

/** The drawing after a member said something; what is malformed changes nothing. `isOwner` says who may wipe everything. */
export function drawingAfter(drawing: Drawing, from: string, words: Words, { colour, isOwner }: { colour: number; isOwner: boolean }): Drawing {
  let { strokes, cursors } = drawing
  const { at, pens, clear, strokes: told } = words
  if (at === null || isPoint(at)) {
    const known = cursors.get(from)
    const [x, y] = at ?? [known?.x ?? 0, known?.y ?? 0]
    cursors = new Map(cursors).set(from, { x: within(x, board.width), y: within(y, board.height), isAway: at === null })
  }
  if (isRecord(pens))
    for (const [id, points] of Object.entries(pens)) strokes = drawn(strokes, `${from}/${id}`, { by: from, colour, points: coordinates(points) })
  // A board told to who came later: what is here already stays as it is.
  if (Array.isArray(told))
    for (const stroke of told.filter(isRecord)) {
      const { key, by, colour: of, points } = stroke
      if (typeof key === 'string' && typeof by === 'string' && typeof of === 'number' && !strokes.has(key))
        strokes = drawn(strokes, key, { by, colour: of, points: coordinates(points) })
    }
  if (clear === 'all' && isOwner) strokes = new Map()
  else if (clear === 'mine') strokes = new Map([...strokes].filter(([, { by }]) => by !== from))
  return { strokes, cursors }
}

/** The drawing once a member's cursor is taken away. */
export function withoutCursor(drawing: Drawing, id: string): Drawing {
  const cursors = new Map(drawing.cursors)
  cursors.delete(id)
  return { ...drawing, cursors }
}

/** The strokes in messages of at most so many bytes each. */
export function tellings(strokes: Drawing['strokes'], bytes: number): { strokes: (Stroke & { key: string })[] }[] {
  const messages: { strokes: (Stroke & { key: string })[] }[] = []
  let length = Infinity
  for (const [key, stroke] of strokes) {
    const told = { key, ...stroke }
    const own = JSON.stringify(told).length + 1
    if (own + 20 > bytes) continue
    if (length + own > bytes) {
      messages.push({ strokes: [] })
      length = 20
    }
    messages.at(-1)?.strokes.push(told)
    length += own
  }
  return messages
}

function drawn(strokes: ReadonlyMap<string, Stroke>, key: string, more: Stroke): ReadonlyMap<string, Stroke> {
  if (more.points.length === 0) return strokes
  const known = strokes.get(key)
  const next = new Map(strokes).set(key, { ...more, points: [...(known?.points ?? []), ...more.points].slice(0, mostPoints) })
  const [oldest] = next.keys()
  if (next.size > mostStrokes && oldest !== undefined) next.delete(oldest)
  return next
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
const isPoint = (value: unknown): value is readonly [number, number] => Array.isArray(value) && value.length === 2 && value.every(Number.isFinite)
const within = (value: number, most: number): number => Math.round(Math.min(most, Math.max(0, value)))

function coordinates(points: unknown): number[] {
  if (!Array.isArray(points) || points.length % 2 !== 0 || !points.every(Number.isFinite)) return []
  return (points as number[]).slice(0, mostPoints).map((value, index) => within(value, index % 2 === 0 ? board.width : board.height))
}
