import type { Room, RoomMember, RoomPermission } from '@deputy/client/rooms'
import { Dialog } from '../kit/dialog.tsx'
import { Toggle } from '../kit/toggle.tsx'
import type { SeatState } from '../rooms/seat-state.ts'
import { useAttempt } from '../rooms/use-attempt.ts'
import { stranger } from '../rooms/words.ts'
import { LimitField } from './limit-field.tsx'
import { allow, block, limit, remove } from './moderate-code.ts'

const permissions: readonly (readonly [RoomPermission, string])[] = [
  ['send', 'May write'],
  ['receive', 'May read'],
  ['remove', 'May remove others'],
  ['block', 'May block others'],
]

/** What may be decided about one member: everything by the owner, leaving by who was allowed that. */
export function MemberDialog(props: { readonly room: Room; readonly state: SeatState; readonly member: RoomMember; readonly onClose: () => void }) {
  const { room, state, member, onClose } = props
  const { busy, problem, attempt } = useAttempt()
  const { name } = state.people.get(member.id) ?? stranger(member.id)
  const isOwner = state.owner === state.self.id
  const leave = (act: typeof remove) => void attempt(() => act(room, member.id)).then(done => done && onClose())
  return (
    <Dialog title={name} onClose={onClose}>
      {isOwner ? (
        <>
          <fieldset class="checks">
            <legend>In this room</legend>
            {permissions.map(([permission, label]) => (
              <Toggle
                key={permission}
                label={label}
                checked={member.permissions[permission]}
                onToggle={yes => attempt(() => allow(room, member.id, permission, yes))}
              />
            ))}
          </fieldset>
          <LimitField
            label="Longest message"
            now={member.maxMessageBytes}
            disabled={busy}
            onLimit={characters => void attempt(() => limit(room, characters, member.id))}
          />
        </>
      ) : null}
      <div class="row apart">
        {isOwner || state.self.permissions.remove ? (
          <button class="danger" disabled={busy} onClick={() => leave(remove)}>
            Remove <small>may come back</small>
          </button>
        ) : null}
        {isOwner || state.self.permissions.block ? (
          <button class="danger" disabled={busy} onClick={() => leave(block)}>
            Block <small>may not</small>
          </button>
        ) : null}
      </div>
      {problem === null ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  )
}
