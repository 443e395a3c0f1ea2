import type { RoomMember } from '@deputy/client/rooms'
import { Face } from './face.tsx'
import type { SeatState } from './seat-state.ts'
import { stranger } from './words.ts'

/** Who is here: ourselves first, the owner marked, each with what can be done. */
export function People({ state, onSelf, onMember }: { readonly state: SeatState; onSelf(): void; onMember: ((member: RoomMember) => void) | null }) {
  const { self, owner, members, people } = state
  const sorted = members.toSorted((one, other) => Number(other.id === self.id) - Number(one.id === self.id))
  return (
    <ul class="people">
      {sorted.map(member => {
        const person = people.get(member.id) ?? stranger(member.id)
        const isSelf = member.id === self.id
        return (
          <li key={member.id} data-member={member.id}>
            <Face person={person} />
            <span class="name">
              <bdi>{person.name}</bdi>
              <small>
                {[isSelf ? 'you' : null, member.id === owner ? 'owner' : null, member.permissions.send ? null : 'may not write'].filter(Boolean).join(' · ')}
              </small>
            </span>
            {isSelf ? (
              <button class="small" aria-label="Change your name and colour" onClick={onSelf}>
                Change
              </button>
            ) : onMember === null || member.id === owner ? null : (
              <button class="small" aria-label={`Manage ${person.name}`} onClick={() => onMember(member)}>
                Manage
              </button>
            )}
          </li>
        )
      })}
    </ul>
  )
}
