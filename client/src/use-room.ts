import { useEffect, useRef, useState } from 'react'
import { isPlain } from './room-envelope.ts'
import { membersAfter } from './room-presence.ts'
import type { Room, RoomEnd, RoomEvent, RoomMember, RoomMessage } from './rooms.ts'

/** A room as a component sees it. */
export interface RoomView {
  readonly status: 'joining' | 'open' | 'ended' | 'failed'
  /** Null until the seat is taken. */
  readonly room: Room | null
  /** Messages heard since the seat was taken and read from the mailbox, in the room's order, edits and deletions applied; the newest 1,000. */
  readonly messages: readonly RoomMessage[]
  readonly members: readonly RoomMember[]
  /** Why the room ended. */
  readonly end: RoomEnd['reason'] | null
  /** Why there is no room. */
  readonly error: Error | null
}

/** How the component gets its room: hand the signal on, so that leaving the component leaves the room. */
export type EnterRoom = (signal: AbortSignal) => Promise<Room>

const joining: RoomView = { status: 'joining', room: null, messages: [], members: [], end: null, error: null }
const KEPT = 1000

/**
 * A seat in a room for as long as the component is mounted. A change of `name` leaves it and enters anew: name what `enter` opens, as
 * in `useRoom(invite, signal => rooms.join(invite, { signal }))`.
 */
export function useRoom(name: string, enter: EnterRoom): RoomView {
  const [kept, setKept] = useState({ name, view: joining })
  const enterRef = useRef(enter)
  useEffect(() => {
    enterRef.current = enter
  })
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    const change = (next: (view: RoomView) => Partial<RoomView>): void => {
      if (signal.aborted) return
      setKept(({ name: of, view }) => {
        const before = of === name ? view : joining
        return { name, view: { ...before, ...next(before) } }
      })
    }
    const stay = async (): Promise<void> => {
      // A component that is mounted twice at once, as strict mode does, takes one seat: leaving the first would give up the one a reload has kept.
      await Promise.resolve()
      if (signal.aborted) return
      const room = await enterRef.current(signal)
      if (signal.aborted) return room.leave()
      change(() => ({ ...joining, status: 'open', room }))
      await room.on(event => change(view => ({ messages: messagesAfter(view.messages, event), members: membersAfter(view.members, event) })))
      const members = await room.members()
      change(() => ({ members }))
      const { reason } = await room.closed
      change(() => ({ status: 'ended', end: reason }))
    }
    stay().catch((error: unknown) => change(() => ({ status: 'failed', error: error instanceof Error ? error : new Error(String(error)) })))
    return () => leaving.abort()
  }, [name])
  return kept.name === name ? kept.view : joining
}

/** The messages with one event applied. */
export function messagesAfter(messages: readonly RoomMessage[], event: RoomEvent): readonly RoomMessage[] {
  if (event.type === 'message') {
    const { message } = event
    if (!isPlain(message)) return messages
    // Nearly every message is the newest.
    if ((messages.at(-1)?.seq ?? -1) < message.seq) return [...messages, message].slice(-KEPT)
    return [...messages.filter(({ seq }) => seq !== message.seq), message].toSorted((one, other) => one.seq - other.seq).slice(-KEPT)
  }
  if (event.type === 'edited') return messages.map(message => (message.seq === event.message.seq ? event.message : message))
  if (event.type === 'deleted') return messages.filter(({ seq }) => seq < event.from || seq > event.to)
  return messages
}
