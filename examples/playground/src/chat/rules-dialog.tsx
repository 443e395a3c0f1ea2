import type { Room } from '@deputy/client/rooms'
import { Dialog } from '../kit/dialog.tsx'
import { Toggle } from '../kit/toggle.tsx'
import type { SeatState } from '../rooms/seat-state.ts'
import { useAttempt } from '../rooms/use-attempt.ts'
import { stranger } from '../rooms/words.ts'
import { LimitField } from './limit-field.tsx'
import { allowAll, limit, unblock } from './moderate-code.ts'

interface RulesProps {
  readonly room: Room
  readonly state: SeatState
  readonly onUnblocked: (id: string) => void
  readonly onClose: () => void
}

/** What holds for everybody in the room, for its owner to decide. */
export function RulesDialog({ room, state, onUnblocked, onClose }: RulesProps) {
  const { busy, problem, attempt } = useAttempt()
  const { defaults, blocked, people } = state
  return (
    <Dialog title="Rules of the room" onClose={onClose}>
      <fieldset class="checks" disabled={defaults === null}>
        <legend>Everybody, unless you decided for one</legend>
        {(['send', 'receive'] as const).map(permission => (
          <Toggle
            key={permission}
            label={permission === 'send' ? 'May write' : 'May read'}
            checked={defaults?.[permission] ?? true}
            onToggle={yes => attempt(() => allowAll(room, permission, yes))}
          />
        ))}
      </fieldset>
      <LimitField
        label="Longest message"
        now={defaults?.maxMessageBytes ?? state.self.maxMessageBytes}
        disabled={busy}
        onLimit={characters => void attempt(() => limit(room, characters))}
      />
      {blocked.length === 0 ? null : (
        <>
          <h3>Blocked</h3>
          <ul class="people">
            {blocked.map(id => {
              const { name } = people.get(id) ?? stranger(id)
              return (
                <li key={id}>
                  <span class="name">
                    <bdi>{name}</bdi>
                  </span>
                  <button
                    class="small"
                    disabled={busy}
                    aria-label={`Unblock ${name}`}
                    onClick={() => void attempt(() => unblock(room, id)).then(done => done && onUnblocked(id))}
                  >
                    Unblock
                  </button>
                </li>
              )
            })}
          </ul>
        </>
      )}
      {problem === null ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  )
}
