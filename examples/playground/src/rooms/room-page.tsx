import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Code } from '../kit/demo.tsx'
import { ownPerson } from './keepsake.ts'
import { Lobby } from './lobby.tsx'
import type { Person } from './words.ts'
import './rooms.css'

interface RoomPageProps {
  /** What the room is called before one is in it. */
  readonly what: string
  readonly lead: string
  readonly invite: string
  /** The code that runs, by what it does. */
  readonly code: readonly (readonly [title: string, code: string])[]
  readonly inside: (person: Person, onPerson: (person: Person) => void) => ComponentChildren
}

/** A demo within a room: who is known and has an invite is inside, everybody else in the lobby. */
export function RoomPage({ what, lead, invite, code, inside }: RoomPageProps) {
  const [person, setPerson] = useState(ownPerson)
  return (
    <>
      <p class="welcome">{lead}</p>
      {invite === '' || person === null ? <Lobby key={invite} what={what} invite={invite} onPerson={setPerson} /> : inside(person, setPerson)}
      <section class="codes" aria-label="The code">
        {code.map(([title, text]) => (
          <Code key={title} title={title} code={text} />
        ))}
      </section>
    </>
  )
}
