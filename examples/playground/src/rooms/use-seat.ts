import type { Room, RoomEnd, RoomEvent } from '@deputy/client/rooms'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { enter } from './enter-code.ts'
import { claimEnd } from './keepsake.ts'
import { stateAfter, stateOf, type SeatState } from './seat-state.ts'
import { readWords, type Person } from './words.ts'

/** A seat in a room as the demos see it. */
export type SeatView =
  | { readonly status: 'joining' }
  | { readonly status: 'failed'; readonly error: unknown; again(): void }
  | ({ readonly status: 'open' | 'ended'; readonly room: Room; readonly end: RoomEnd['reason'] | null; again(): void } & SeatState)

type Kept = { room: Room; state: SeatState; end: RoomEnd['reason'] | null } | { error: unknown } | null

/** How long a member waits before it introduces itself to who came, so that several who come are greeted once. */
const greetingMs = 300

/**
 * Takes a seat for as long as the component is mounted and tells the room who sits there. `hear` gets every event, from the first on;
 * `settled` is called once the room knows us, which is when the newest seq is known; it never rejects.
 */
export function useSeat(invite: string, person: Person, hear: (event: RoomEvent, room: Room) => void, settled: (room: Room) => Promise<void>): SeatView {
  const [kept, setKept] = useState<Kept>(null)
  const [nth, setNth] = useState(0)
  const again = useCallback(() => setNth(count => count + 1), [])
  const callsRef = useRef({ person, hear, settled })
  useLayoutEffect(() => {
    callsRef.current = { person, hear, settled }
  })
  const room = kept !== null && 'room' in kept ? kept.room : null

  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    const change = (next: (state: SeatState) => SeatState): void => {
      if (!signal.aborted) setKept(before => (before !== null && 'room' in before ? { ...before, state: next(before.state) } : before))
    }
    let greeting: ReturnType<typeof setTimeout> | undefined
    const stay = async (): Promise<void> => {
      setKept(null)
      const seat = await enter(invite, signal)
      signal.addEventListener('abort', () => void seat.leave())
      if (signal.aborted) return seat.leave()
      setKept({ room: seat, state: stateOf(seat), end: null })
      await seat.on(event => {
        if (signal.aborted) return
        change(state => stateAfter(state, event))
        callsRef.current.hear(event, seat)
        if (!knowsNobody(event, seat)) return
        clearTimeout(greeting)
        greeting = setTimeout(() => void introduce(seat, callsRef.current.person), greetingMs * (1 + Math.random()))
      })
      const [members, defaults] = await Promise.all([seat.members(), seat.defaults(), introduce(seat, callsRef.current.person, { hello: true })])
      change(state => ({ ...state, members, defaults: state.defaults ?? defaults }))
      void callsRef.current.settled(seat)
      const { reason } = await seat.closed
      if (!signal.aborted) setKept(before => (before !== null && 'room' in before ? { ...before, end: reason } : before))
    }
    stay().catch((error: unknown) => {
      if (!signal.aborted) setKept({ error })
    })
    return () => {
      clearTimeout(greeting)
      leaving.abort()
    }
  }, [invite, nth])

  const { name, colour } = person
  const introducedRef = useRef(person)
  useEffect(() => {
    if (room === null || introducedRef.current === person) return
    introducedRef.current = person
    void introduce(room, { name, colour })
  }, [room, person, name, colour])

  if (kept === null) return { status: 'joining' }
  if ('error' in kept) return { status: 'failed', error: kept.error, again }
  return { status: kept.end === null ? 'open' : 'ended', room: kept.room, end: kept.end, again, ...kept.state }
}

/** Who comes, who says hello after a reload, and a mailbox that begins: each knows nobody yet. */
function knowsNobody(event: RoomEvent, { self }: Room): boolean {
  if (event.type === 'message') return !event.replayed && event.message.from !== self.id && readWords(event.message.text)['hello'] === true
  return event.type === 'joined' || (event.type === 'claim' && event.mailbox)
}

/** Says who we are, and as the owner when the claim ends. Who may not speak stays a guest to the others. */
export async function introduce(room: Room, person: Person, more: { readonly hello?: true } = {}): Promise<void> {
  const until = room.claimed && room.owner === room.self.id ? { until: claimEnd(room.id) } : {}
  await room.send(JSON.stringify({ ...person, ...until, ...more })).catch(() => undefined)
}
