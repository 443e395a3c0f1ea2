import type { RoomEvent } from '@deputy/contract/room-events'
import type { RoomMember } from '@deputy/contract/room-types'
import { onEnd, watch } from './room-listeners.ts'
import type { Room } from './rooms.ts'

/** Who is in a room. */
export interface Presence {
  /** The members, this page's own among them; another array after every change, empty once the room has ended. */
  readonly members: readonly RoomMember[]
  /** Calls the listener after every change, not at once. Answers the unsubscribe function. */
  subscribe(listener: (members: readonly RoomMember[]) => void): () => void
  /** Stops following; `members` stays as it is. */
  stop(): void
}

/** Follows who is in a room, until it ends or the signal fires. @throws {RoomsError} as `members` does; the signal's reason. */
export async function presence(room: Pick<Room, 'on' | 'members' | 'closed'>, { signal }: { readonly signal?: AbortSignal } = {}): Promise<Presence> {
  signal?.throwIfAborted()
  const listeners = new Set<(members: readonly RoomMember[]) => void>()
  const early: RoomEvent[] = []
  let members: readonly RoomMember[] | undefined
  let isStopped = false
  const change = (next: readonly RoomMember[]): void => {
    if (next === members || isStopped) return
    members = next
    for (const listener of [...listeners]) listener(next)
  }
  const hear = (event: RoomEvent): void => {
    if (members === undefined) return void early.push(event)
    change(membersAfter(members, event))
    // These change what members may do without a word about each of them.
    if (event.type === 'defaults' || event.type === 'claim') void room.members().then(change, () => undefined)
  }
  const off = await watch(room, hear)
  let forget = (): void => {}
  const stop = (): void => {
    isStopped = true
    off()
    forget()
    signal?.removeEventListener('abort', stop)
  }
  signal?.addEventListener('abort', stop)
  try {
    const found = await room.members()
    signal?.throwIfAborted()
    members = early.reduce(membersAfter, found)
  } catch (error) {
    stop()
    throw error
  }
  forget = onEnd(room, () => {
    change([])
    stop()
  })
  return {
    get members() {
      return members ?? []
    },
    subscribe: listener => {
      // The same function may listen twice.
      const own = (now: readonly RoomMember[]): void => listener(now)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    stop,
  }
}

/** The members with one event applied; the same array when it changes none. */
export function membersAfter(members: readonly RoomMember[], event: RoomEvent): readonly RoomMember[] {
  if (event.type === 'joined') return [...members.filter(({ id }) => id !== event.member.id), event.member]
  if (event.type === 'left') return members.filter(({ id }) => id !== event.id)
  if (event.type !== 'permissions') return members
  const { id, maxMessageBytes, permissions } = event
  return members.map(member => (member.id === id ? { id, maxMessageBytes, permissions } : member))
}
