import { RoomsError, type Room, type RoomEvent } from '@deputy/client/rooms'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useSeat, type SeatView } from '../rooms/use-seat.ts'
import { bytesWithin, personIn, readWords, type Person } from '../rooms/words.ts'
import { drawingAfter, emptyDrawing, tellings, withoutCursor, type Drawing } from './drawing.ts'
import { paced } from './pace-code.ts'

/** A shared board. */
export interface BoardView {
  readonly seat: SeatView
  readonly drawing: Drawing
  move(at: readonly [x: number, y: number] | null): void
  draw(stroke: string, x: number, y: number): void
  clear(what: 'mine' | 'all'): void
}

const fadeMs = 800

/** Takes a seat at the board: what we do is seen at once here and told to the others in gathered messages. */
export function useBoard(invite: string, person: Person): BoardView {
  const [drawing, setDrawing] = useState(emptyDrawing)
  const drawingRef = useRef(drawing)
  const coloursRef = useRef(new Map<string, number>())
  const roomRef = useRef<Room | null>(null)

  const apply = useCallback((change: (known: Drawing) => Drawing) => {
    drawingRef.current = change(drawingRef.current)
    setDrawing(drawingRef.current)
  }, [])
  const pace = useMemo(
    () =>
      paced(async words => {
        try {
          await roomRef.current?.send(JSON.stringify(words))
          return true
        } catch (error) {
          return !(error instanceof RoomsError && error.code === 'rate-limited')
        }
      }),
    [],
  )

  const hear = (event: RoomEvent, room: Room) => {
    roomRef.current = room
    if (event.type === 'left') {
      apply(known => drawingAfter(known, event.id, { at: null }, { colour: 0, isOwner: false }))
      setTimeout(() => apply(known => withoutCursor(known, event.id)), fadeMs)
    }
    if (event.type !== 'message') return
    const { from, text } = event.message
    const words = readWords(text)
    const said = personIn(words)
    if (said !== null) coloursRef.current.set(from, said.colour)
    // Our own strokes are there already, but what a member before a reload drew comes back with the rest.
    if (from === room.self.id) return
    if (words['ask'] === true) return void answer(room, from)
    apply(known => drawingAfter(known, from, words, { colour: coloursRef.current.get(from) ?? 7, isOwner: from === room.owner }))
  }
  /** One member tells who asks what is on the board: the first by id of those who can. */
  const answer = async (room: Room, asker: string) => {
    const members = await room.members().catch(() => [])
    const [first] = members
      .map(({ id }) => id)
      .filter(id => id !== asker)
      .toSorted()
    if (first !== room.self.id) return
    for (const words of tellings(drawingRef.current.strokes, bytesWithin(room.self.maxMessageBytes))) pace.say(words)
  }
  const settled = async (room: Room) => {
    roomRef.current = room
    pace.say({ ask: true })
  }
  const seat = useSeat(invite, person, hear, settled)
  const { colour } = person
  const own = seat.status === 'open' ? seat.self.id : ''
  const isOwner = seat.status === 'open' && seat.owner === own
  useEffect(() => () => void (roomRef.current = null), [])

  const draw = (stroke: string, x: number, y: number) => {
    apply(known => drawingAfter(known, own, { pens: { [stroke]: [x, y] } }, { colour, isOwner }))
    pace.draw(stroke, x, y)
  }
  const clear = (what: 'mine' | 'all') => {
    apply(known => drawingAfter(known, own, { clear: what }, { colour, isOwner }))
    pace.say({ clear: what })
  }
  return { seat, drawing, move: pace.move, draw, clear }
}
