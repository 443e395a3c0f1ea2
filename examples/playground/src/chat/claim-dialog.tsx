import type { Room } from '@deputy/client/rooms'
import { useState } from 'preact/hooks'
import type { SessionView } from '../account/session.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { moment } from '../kit/format.ts'
import type { SeatState } from '../rooms/seat-state.ts'
import { useAttempt } from '../rooms/use-attempt.ts'

/** What a claim is to be. */
export interface ClaimWish {
  readonly description: string
  readonly mailbox: boolean
  readonly days: number | null
}

interface ClaimProps {
  readonly room: Room
  readonly state: SeatState
  readonly session: SessionView
  readonly onClaim: (wish: ClaimWish) => void
  readonly onSignIn: () => void
  readonly onClose: () => void
}

const times: readonly (readonly [string, number | null])[] = [
  ['Until I release it', null],
  ['An hour', 1 / 24],
  ['A day', 1],
  ['A week', 7],
  ['30 days', 30],
]

/** Keeping the room: its claim made, changed or given up. */
export function ClaimDialog(props: ClaimProps) {
  const { room, state, session, onClose } = props
  const { busy, problem, attempt } = useAttempt()
  const isOwner = state.owner === state.self.id
  const isOthers = state.claimed && !isOwner
  return (
    <Dialog title={state.claimed ? 'A claimed room' : 'Claim this room'} onClose={onClose}>
      {state.claimed ? (
        <p class="lead">
          {isOwner ? 'The room is yours' : 'Somebody has claimed the room'}
          {state.until === null ? '' : ` until ${moment(state.until)}`}. It stays when nobody is in it, and{' '}
          {state.mailbox ? 'its messages are kept, sealed as they were sent.' : 'its messages are not kept.'}
        </p>
      ) : (
        <p class="lead">A room ends when nobody is in it. With a premium account you can claim one: it stays, locked to its key, and may keep its messages.</p>
      )}
      {isOthers ? null : session.account === null ? (
        <div class="row">
          <button class="primary" onClick={props.onSignIn}>
            Sign in to claim
          </button>
          <span class="status">{session.status === 'unknown' ? 'The broker cannot be reached now.' : ''}</span>
        </div>
      ) : !session.account.premium ? (
        <p class="problem">Your account is not a premium account. Ask whoever runs this server for premium, or a member who has it to claim the room.</p>
      ) : (
        <ClaimForm {...props} />
      )}
      {state.claimed && isOwner ? (
        <div class="row apart">
          {room.mailboxSwitch === undefined ? null : (
            <button disabled={busy} onClick={() => void attempt(() => room.setMailbox(!state.mailbox))}>
              {state.mailbox ? 'Stop keeping messages' : 'Keep messages'}
            </button>
          )}
          <button class="danger" disabled={busy} onClick={() => void attempt(() => room.release()).then(done => done && onClose())}>
            Release the room
          </button>
        </div>
      ) : null}
      {problem === null ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  )
}

function ClaimForm({ room, state, onClaim }: ClaimProps) {
  const [wish, setWish] = useState<ClaimWish>({ description: '', mailbox: state.claimed ? state.mailbox : true, days: null })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        onClaim({ ...wish, description: wish.description.trim() })
      }}
    >
      <label class="field">
        <span>
          Description <small>(for you alone, in your account’s list of rooms)</small>
        </span>
        <input maxLength={200} value={wish.description} onInput={event => setWish({ ...wish, description: event.currentTarget.value })} />
      </label>
      {room.temporaryClaims === undefined ? null : (
        <label class="field">
          <span>For how long</span>
          <select value={String(wish.days)} onChange={event => setWish({ ...wish, days: times[event.currentTarget.selectedIndex]?.[1] ?? null })}>
            {times.map(([label, days]) => (
              <option key={label} value={String(days)}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      {room.mailboxSwitch === undefined ? null : (
        <label class="check">
          <input type="checkbox" checked={wish.mailbox} onChange={event => setWish({ ...wish, mailbox: event.currentTarget.checked })} />
          Keep the messages, sealed, for who comes later
        </label>
      )}
      <div class="row">
        <button class="primary">{state.claimed ? 'Claim anew' : 'Claim'}</button>
      </div>
    </form>
  )
}
