import type { RoomEvent } from '@deputy/contract/room-events'
import type { RoomDefaults, RoomMailbox, RoomMember } from '@deputy/contract/room-types'
import type { RoomAnswer } from '@deputy/contract/room-wire'
import { memberOf, sameMember } from './roster.ts'

/** What a seat knows of its room beside the messages. */
export interface RoomState {
  self: RoomMember
  defaults: RoomDefaults
  claimed: boolean
  mailbox: boolean
  owner: string
  usage: RoomMailbox | null
}

/** The state as the service tells it with a seat. */
export const stateOf = ({ self, defaults, claimed, mailbox, owner, usage }: RoomAnswer<'join'>): RoomState => ({
  self: memberOf(self),
  defaults,
  claimed,
  // A room that is not claimed keeps nothing, whatever is told of it.
  mailbox: claimed && mailbox,
  owner,
  usage,
})

/** The events that lead from one state to the next. */
export function changesBetween(before: RoomState, now: RoomState): RoomEvent[] {
  const { self, defaults, claimed, mailbox, owner } = now
  const sameDefaults = (['maxMessageBytes', 'receive', 'send'] as const).every(name => before.defaults[name] === defaults[name])
  const sameClaim = before.claimed === claimed && before.mailbox === mailbox && before.owner === owner
  return [
    ...(sameDefaults ? [] : [{ type: 'defaults', defaults } as const]),
    ...(sameClaim ? [] : [{ type: 'claim', claimed, mailbox, owner } as const]),
    ...(sameMember(before.self, self) ? [] : [permissionsEvent(self)]),
  ]
}

/** The events that lead from one set of members to the next. */
export function memberChanges(before: ReadonlyMap<string, RoomMember>, now: readonly RoomMember[]): RoomEvent[] {
  const present = new Set(now.map(({ id }) => id))
  const left = [...before.keys()].filter(id => !present.has(id)).map(id => ({ type: 'left', id, reason: 'left' }) as const)
  const changed = now.flatMap((member): RoomEvent[] => {
    const known = before.get(member.id)
    if (known === undefined) return [{ type: 'joined', member }]
    return sameMember(known, member) ? [] : [permissionsEvent(member)]
  })
  return [...left, ...changed]
}

const permissionsEvent = ({ id, maxMessageBytes, permissions }: RoomMember) => ({ type: 'permissions', id, maxMessageBytes, permissions }) as const
