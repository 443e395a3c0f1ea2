import { Over } from '../rooms/over.tsx'
import { RoomPage } from '../rooms/room-page.tsx'
import type { Person } from '../rooms/words.ts'
import { Chat } from './chat.tsx'
import { useChat } from './use-chat.ts'
import './chat.css'
import claimCode from 'raw:./claim-code.ts'
import enterCode from 'raw:../rooms/enter-code.ts'
import historyCode from 'raw:./history-code.ts'
import moderateCode from 'raw:./moderate-code.ts'

const code = [
  ['Make and enter a room', enterCode],
  ['Read what was kept', historyCode],
  ['Moderate', moderateCode],
  ['Claim', claimCode],
] as const

/** The chat: the fragment is the invite of its room. */
export function ChatPage({ fragment }: { readonly fragment: string }) {
  return (
    <RoomPage
      what="chat"
      lead="Messages are sealed and signed in the browser. The server puts them in order and delivers them, and reads nothing."
      invite={fragment}
      code={code}
      inside={(person, onPerson) => <Inside key={fragment} invite={fragment} person={person} onPerson={onPerson} />}
    />
  )
}

function Inside({ invite, person, onPerson }: { readonly invite: string; readonly person: Person; readonly onPerson: (person: Person) => void }) {
  const chat = useChat(invite, person)
  const { seat } = chat
  if (seat.status !== 'open') return <Over seat={seat} path="/chat" />
  return <Chat room={seat.room} state={seat} chat={chat} person={person} onPerson={onPerson} />
}
