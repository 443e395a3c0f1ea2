import { useState } from 'preact/hooks'
import { InviteDialog } from '../rooms/invite-dialog.tsx'
import { Over } from '../rooms/over.tsx'
import { People } from '../rooms/people.tsx'
import { PersonDialog } from '../rooms/person-dialog.tsx'
import { RoomPage } from '../rooms/room-page.tsx'
import { useOnline } from '../rooms/use-online.ts'
import type { Person } from '../rooms/words.ts'
import { Surface } from './surface.tsx'
import { useBoard } from './use-board.ts'
import './board.css'
import enterCode from 'raw:../rooms/enter-code.ts'
import paceCode from 'raw:./pace-code.ts'

const code = [
  ['Make and enter a room', enterCode],
  ['Gather moves', paceCode],
] as const

/** The shared board: the fragment is the invite of its room. */
export function BoardPage({ fragment }: { readonly fragment: string }) {
  return (
    <RoomPage
      what="board"
      lead="Everybody’s cursor, live, and what they draw. Moves are gathered to at most 12 messages a second, each sealed and signed."
      invite={fragment}
      code={code}
      inside={(person, onPerson) => <Inside key={fragment} invite={fragment} person={person} onPerson={onPerson} />}
    />
  )
}

function Inside({ invite, person, onPerson }: { readonly invite: string; readonly person: Person; readonly onPerson: (person: Person) => void }) {
  const { seat, drawing, move, draw, clear } = useBoard(invite, person)
  const [open, setOpen] = useState<'invite' | 'person' | null>(null)
  const isOnline = useOnline()
  const close = () => setOpen(null)
  if (seat.status !== 'open') return <Over seat={seat} path="/board" />
  const { room, self, owner, members, people } = seat
  return (
    <section class="room panel" aria-label="Shared board">
      <header class="bar">
        <p class="state" role="status">
          <span class={isOnline ? 'dot' : 'dot off'} aria-hidden="true" />
          {isOnline ? 'Connected' : 'Waiting for the connection…'}
        </p>
        <div class="row">
          <button class="primary" onClick={() => setOpen('invite')}>
            Invite
          </button>
          <button onClick={() => clear('mine')}>Wipe mine</button>
          {owner === self.id ? <button onClick={() => clear('all')}>Wipe all</button> : null}
          <button onClick={() => void room.leave()}>Leave</button>
        </div>
      </header>
      <div class="body">
        <Surface drawing={drawing} self={self.id} person={person} people={people} move={move} draw={draw} />
        <aside aria-label="People at the board">
          <h2>{members.length === 1 ? 'Only you are here' : `${members.length} here`}</h2>
          <People state={seat} onSelf={() => setOpen('person')} onMember={null} />
        </aside>
      </div>
      {open === 'invite' ? <InviteDialog invite={room.invite} onClose={close} /> : null}
      {open === 'person' ? <PersonDialog person={person} onPerson={onPerson} onClose={close} /> : null}
    </section>
  )
}
