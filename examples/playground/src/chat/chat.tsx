import type { Room } from '@deputy/client/rooms'
import { useState } from 'preact/hooks'
import { signIn } from '../account/sign-in-code.ts'
import { useSession } from '../account/session.tsx'
import { moment } from '../kit/format.ts'
import { InviteDialog } from '../rooms/invite-dialog.tsx'
import { keepClaimEnd } from '../rooms/keepsake.ts'
import { People } from '../rooms/people.tsx'
import { PersonDialog } from '../rooms/person-dialog.tsx'
import type { SeatState } from '../rooms/seat-state.ts'
import { useAttempt } from '../rooms/use-attempt.ts'
import { useOnline } from '../rooms/use-online.ts'
import { introduce } from '../rooms/use-seat.ts'
import { bytesWithin, type Person } from '../rooms/words.ts'
import { claim } from './claim-code.ts'
import { ClaimDialog, type ClaimWish } from './claim-dialog.tsx'
import { Composer } from './composer.tsx'
import { MemberDialog } from './member-dialog.tsx'
import { Messages } from './messages.tsx'
import { RulesDialog } from './rules-dialog.tsx'
import type { Said } from './transcript.ts'
import type { ChatView } from './use-chat.ts'
import { useOutbox, wordsOf } from './use-outbox.ts'

interface ChatProps {
  readonly room: Room
  readonly state: SeatState
  readonly chat: ChatView
  readonly person: Person
  readonly onPerson: (person: Person) => void
}

type Open = 'invite' | 'claim' | 'rules' | 'person' | { readonly member: string } | null

/** The chat of a room one is in. */
export function Chat({ room, state, chat, person, onPerson }: ChatProps) {
  const [open, setOpen] = useState<Open>(null)
  const [editing, setEditing] = useState<Said | null>(null)
  const [unblocked, setUnblocked] = useState<ReadonlySet<string>>(new Set())
  const session = useSession()
  const outbox = useOutbox(room, person)
  const { busy, problem, attempt } = useAttempt()
  const isOnline = useOnline()
  const close = () => setOpen(null)
  const { self, owner, members } = state
  const isOwner = owner === self.id
  const canManage = isOwner || self.permissions.remove || self.permissions.block
  const managed = typeof open === 'object' && open !== null ? members.find(({ id }) => id === open.member) : undefined
  const measure = (text: string): number => new TextEncoder().encode(editing === null ? wordsOf(text, person) : editedWords(text, person)).length

  const submit = (text: string) => {
    chat.caughtUp()
    if (editing === null) return outbox.post(text)
    const { seq } = editing
    setEditing(null)
    void attempt(() => room.edit(seq, editedWords(text, person)))
  }
  const doClaim = async (wish: ClaimWish) => {
    // The broker may ask in a card of its own, which a dialog of the page would lie over.
    close()
    await attempt(async () => {
      keepClaimEnd(room.id, await claim(room, wish))
      await introduce(room, person)
    })
  }
  const doSignIn = async () => {
    close()
    if (await attempt(signIn)) setOpen('claim')
    await session.refresh()
  }
  const canChange = ({ from, seq }: Said) => {
    const isOwn = chat.ownIds.has(from)
    return { edit: state.mailbox && isOwn && seq > 0, delete: state.mailbox && (isOwn || isOwner) }
  }
  const editLast = () => {
    const last = chat.transcript.items.findLast(item => item.kind === 'said' && chat.ownIds.has(item.from))
    if (last?.kind === 'said' && canChange(last).edit) setEditing(last)
  }

  return (
    <section class="room panel" aria-label="Chat room">
      <header class="bar">
        <p class="state" role="status">
          <span class={isOnline && !outbox.isSlow ? 'dot' : 'dot off'} aria-hidden="true" />
          {isOnline && !outbox.isSlow ? 'Connected' : 'Waiting for the connection…'}
          {state.claimed ? (
            <span class="badge">
              Claimed{state.until === null ? '' : ` until ${moment(state.until)}`}
              {state.mailbox ? ', messages kept' : ''}
            </span>
          ) : null}
        </p>
        <div class="row">
          <button class="primary" onClick={() => setOpen('invite')}>
            Invite
          </button>
          <button disabled={busy} onClick={() => setOpen('claim')}>
            {state.claimed ? 'Claim' : 'Claim…'}
          </button>
          {isOwner ? <button onClick={() => setOpen('rules')}>Rules</button> : null}
          <button onClick={() => void room.leave()}>Leave</button>
        </div>
      </header>
      {problem === null ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="body">
        <div class="talk">
          <Messages
            items={chat.transcript.items}
            people={state.people}
            ownIds={chat.ownIds}
            missedAfter={chat.missedAfter}
            waiting={outbox.waiting}
            hasEarlier={chat.hasEarlier}
            canChange={canChange}
            onEarlier={chat.earlier}
            onEdit={setEditing}
            onDelete={({ seq }) => void attempt(() => room.delete(seq))}
            onRetry={outbox.retry}
            onDiscard={outbox.discard}
          />
          <Composer
            room={bytesWithin(self.maxMessageBytes)}
            measure={measure}
            mayNot={self.permissions.send ? null : 'The owner has not allowed you to write here.'}
            editing={editing}
            onSubmit={submit}
            onCancelEdit={() => setEditing(null)}
            onEditLast={editLast}
          />
        </div>
        <aside aria-label="People in the room">
          <h2>{members.length === 1 ? 'Only you are here' : `${members.length} here`}</h2>
          <People state={state} onSelf={() => setOpen('person')} onMember={canManage ? ({ id }) => setOpen({ member: id }) : null} />
        </aside>
      </div>
      {open === 'invite' ? <InviteDialog invite={room.invite} onClose={close} /> : null}
      {open === 'person' ? <PersonDialog person={person} onPerson={onPerson} onClose={close} /> : null}
      {open === 'claim' ? (
        <ClaimDialog room={room} state={state} session={session} onClaim={wish => void doClaim(wish)} onSignIn={() => void doSignIn()} onClose={close} />
      ) : null}
      {open === 'rules' ? (
        <RulesDialog
          room={room}
          state={{ ...state, blocked: state.blocked.filter(id => !unblocked.has(id)) }}
          onUnblocked={id => setUnblocked(new Set(unblocked).add(id))}
          onClose={close}
        />
      ) : null}
      {managed === undefined ? null : <MemberDialog room={room} state={state} member={managed} onClose={close} />}
    </section>
  )
}

const editedWords = (text: string, { name, colour }: Person): string => JSON.stringify({ say: text, name, colour, edited: true })
