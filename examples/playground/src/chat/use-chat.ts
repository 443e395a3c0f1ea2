import type { Room, RoomEvent } from '@deputy/client/rooms'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { keep, keepsakeOf } from '../rooms/keepsake.ts'
import { useSeat, type SeatView } from '../rooms/use-seat.ts'
import type { Person } from '../rooms/words.ts'
import { catchUp, pageBefore } from './history-code.ts'
import { emptyTranscript, transcriptAfter, type Transcript } from './transcript.ts'

/** The chat of one room. */
export interface ChatView {
  readonly seat: SeatView
  readonly transcript: Transcript
  /** Messages above this seq came while the person was away; null when they missed none. */
  readonly missedAfter: number | null
  /** Every id the person has had in this room, the present one among them. */
  readonly ownIds: ReadonlySet<string>
  /** Whether the mailbox holds more before what is shown. */
  readonly hasEarlier: boolean
  /** Shows the page before; rejects when the room refuses. */
  earlier(): Promise<void>
  /** The person has read everything. */
  caughtUp(): void
}

const isHere = (): boolean => document.visibilityState === 'visible' && navigator.onLine

/** Takes a seat and keeps the transcript, with the mailbox where there is one. */
export function useChat(invite: string, person: Person): ChatView {
  const [transcript, setTranscript] = useState(emptyTranscript)
  const [before] = useState(() => keepsakeOf(invite))
  const [ownIds, setOwnIds] = useState<ReadonlySet<string>>(() => new Set(before.ids))
  const [missedAfter, setMissedAfter] = useState<number | null>(before.seen > 0 ? before.seen : null)
  const [first, setFirst] = useState(0)
  // Kept beside the state: listeners and the mailbox need the newest at once.
  const seenRef = useRef(before.seen)
  const lastRef = useRef(0)
  const idsRef = useRef(ownIds)
  const remember = useCallback(() => keep(invite, { seen: seenRef.current, ids: [...idsRef.current] }), [invite])

  const hear = (event: RoomEvent, room: Room) => {
    if (!idsRef.current.has(room.self.id)) {
      idsRef.current = new Set(idsRef.current).add(room.self.id)
      setOwnIds(idsRef.current)
      remember()
    }
    if (event.type === 'message') {
      lastRef.current = Math.max(lastRef.current, event.message.seq)
      if (isHere() && lastRef.current > seenRef.current) {
        seenRef.current = lastRef.current
        remember()
      }
    }
    setTranscript(known => transcriptAfter(known, event, Date.now()))
  }
  const settled = async (room: Room) => {
    if (room.mailbox === null) return
    // Our own words have just been heard, so the newest seq is known; who may not speak begins at the number of messages, which is never above it.
    const top = lastRef.current > 0 ? lastRef.current : room.mailbox.messages + 1
    const start = Math.max(0, top - 1 - 50)
    // The mailbox can be read again by the person: a page that fails leaves its button.
    setFirst(top)
    await catchUp(room, start).then(
      () => setFirst(start),
      () => undefined,
    )
  }
  const seat = useSeat(invite, person, hear, settled)
  const room = seat.status === 'open' ? seat.room : null

  useEffect(() => {
    let leftAt: number | null = isHere() ? null : seenRef.current
    const follow = () => {
      if (!isHere()) {
        leftAt ??= seenRef.current
        return
      }
      if (leftAt !== null && lastRef.current > leftAt) setMissedAfter(leftAt)
      leftAt = null
      seenRef.current = Math.max(seenRef.current, lastRef.current)
      remember()
    }
    const events = [
      [document, 'visibilitychange'],
      [window, 'online'],
      [window, 'offline'],
    ] as const
    for (const [target, type] of events) target.addEventListener(type, follow)
    return () => {
      for (const [target, type] of events) target.removeEventListener(type, follow)
    }
  }, [remember])

  const earlier = useCallback(async () => {
    if (room !== null) setFirst(await pageBefore(room, first))
  }, [room, first])
  const caughtUp = useCallback(() => setMissedAfter(null), [])
  const hasEarlier = seat.status === 'open' && seat.mailbox && first > 0
  return { seat, transcript, missedAfter, ownIds, hasEarlier, earlier, caughtUp }
}
