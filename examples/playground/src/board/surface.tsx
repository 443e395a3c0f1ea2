/* oxlint-disable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions -- an application that is moved in by pointer and by keyboard */
import { useRef, useState } from 'preact/hooks'
import { stranger, type Person } from '../rooms/words.ts'
import { board, type Drawing } from './drawing.ts'
import type { BoardView } from './use-board.ts'

interface SurfaceProps extends Pick<BoardView, 'move' | 'draw'> {
  readonly drawing: Drawing
  readonly self: string
  readonly person: Person
  readonly people: ReadonlyMap<string, Person>
}

const steps: Readonly<Record<string, readonly [number, number]>> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }
const least = 3
// Strokes of this page do not go on with those of an earlier one of the same seat.
const page = Math.random().toString(36).slice(2, 8)
let strokes = 0
const nextStroke = (): string => `${page}${(strokes += 1)}`

/** The board itself: drawn on by pointer or by keyboard, with the cursors of the others above it. */
export function Surface({ drawing, self, person, people, move, draw }: SurfaceProps) {
  const [byKeys, setByKeys] = useState<{ readonly x: number; readonly y: number; readonly stroke: string | null } | null>(null)
  const strokeRef = useRef<string | null>(null)
  const lastRef = useRef<readonly [number, number]>([0, 0])

  const placeOf = (event: PointerEvent): [number, number] => {
    const { left, top, width, height } = (event.currentTarget as Element).getBoundingClientRect()
    return [Math.round(((event.clientX - left) / width) * board.width), Math.round(((event.clientY - top) / height) * board.height)]
  }
  const point = (event: PointerEvent) => {
    const [x, y] = placeOf(event)
    const [lastX, lastY] = lastRef.current
    if (event.type === 'pointermove' && Math.hypot(x - lastX, y - lastY) < least) return
    lastRef.current = [x, y]
    setByKeys(null)
    if (strokeRef.current === null) move([x, y])
    else draw(strokeRef.current, x, y)
  }
  const press = (event: KeyboardEvent) => {
    const now = byKeys ?? { x: board.width / 2, y: board.height / 2, stroke: null }
    const step = steps[event.key]
    if (step === undefined && event.key !== ' ') return
    event.preventDefault()
    const far = event.shiftKey ? 50 : 10
    const x = Math.min(board.width, Math.max(0, now.x + (step?.[0] ?? 0) * far))
    const y = Math.min(board.height, Math.max(0, now.y + (step?.[1] ?? 0) * far))
    const stroke = step === undefined ? (now.stroke === null ? nextStroke() : null) : now.stroke
    setByKeys({ x, y, stroke })
    if (stroke === null) move([x, y])
    else draw(stroke, x, y)
  }
  const others = [...drawing.cursors].filter(([id]) => id !== self)

  return (
    <div class="surface">
      <div
        class="paper"
        role="application"
        aria-label="Board"
        aria-describedby="board-help"
        tabIndex={0}
        onKeyDown={press}
        onPointerDown={event => {
          if (event.button !== 0) return
          event.currentTarget.setPointerCapture(event.pointerId)
          strokeRef.current = nextStroke()
          point(event)
        }}
        onPointerMove={point}
        onPointerUp={() => (strokeRef.current = null)}
        onPointerCancel={() => (strokeRef.current = null)}
        onPointerLeave={() => move(null)}
      >
        <svg viewBox={`0 0 ${board.width} ${board.height}`} aria-hidden="true">
          {[...drawing.strokes].map(([key, { colour, points }]) => (
            <polyline
              key={key}
              data-stroke={key}
              class={`hue-${colour}`}
              points={points.length === 2 ? `${points.join(' ')} ${points.join(' ')}` : points.join(' ')}
            />
          ))}
        </svg>
        {others.map(([id, { x, y, isAway }]) => (
          <Pointer key={id} id={id} person={people.get(id) ?? stranger(id)} x={x} y={y} isAway={isAway} />
        ))}
        {byKeys === null ? null : <Pointer id={self} person={person} x={byKeys.x} y={byKeys.y} isAway={false} />}
      </div>
      <p id="board-help" class="hint">
        Draw with a finger, a pen or the mouse. By keyboard: the arrows move, with Shift further, and the space bar sets the pen down or lifts it.
      </p>
      <p class="unseen" role="status">
        {byKeys === null ? '' : byKeys.stroke === null ? 'Pen up' : 'Pen down'}
      </p>
    </div>
  )
}

function Pointer({
  id,
  person,
  x,
  y,
  isAway,
}: {
  readonly id: string
  readonly person: Person
  readonly x: number
  readonly y: number
  readonly isAway: boolean
}) {
  const style = { left: `${(x / board.width) * 100}%`, top: `${(y / board.height) * 100}%` }
  return (
    <span
      class={`cursor hue-${person.colour}${isAway ? ' away' : ''}${x > board.width * 0.8 ? ' flip' : ''}`}
      data-cursor={id}
      data-x={x}
      data-y={y}
      style={style}
      aria-hidden="true"
    >
      <svg viewBox="0 0 16 16" width="18" height="18">
        <path d="M1 1l5.5 13 1.9-5.6L14 6.5z" />
      </svg>
      <bdi>{person.name}</bdi>
    </span>
  )
}
