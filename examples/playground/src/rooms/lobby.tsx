import { useState } from 'preact/hooks'
import { make } from './enter-code.ts'
import { keepOwnPerson, ownPerson } from './keepsake.ts'
import { PersonFields } from './person-fields.tsx'
import { inWords } from './refusals.ts'
import { cleanName, type Person } from './words.ts'

/** What stands behind the # of an invite link, or an invite as it is. */
const inviteIn = (link: string): string => link.slice(link.indexOf('#') + 1).trim()

/** Before the room: who one is, then a new room or an invite. With an invite in the address there is one thing to do. */
export function Lobby(props: { readonly what: string; readonly invite: string; readonly onPerson: (person: Person) => void }) {
  const [person, setPerson] = useState<Person>(() => ownPerson() ?? { name: '', colour: Math.floor(Math.random() * 7) })
  const [link, setLink] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const hasInvite = props.invite !== ''

  const go = async (event: SubmitEvent) => {
    event.preventDefault()
    const named = { ...person, name: cleanName(person.name) }
    if (named.name === '') return setProblem('Say a name first: it is what the others see.')
    setBusy(true)
    setProblem(null)
    try {
      keepOwnPerson(named)
      if (!hasInvite) location.hash = inviteIn(link) || inviteIn(await make())
      props.onPerson(named)
    } catch (error) {
      setProblem(inWords(error))
      setBusy(false)
    }
  }

  return (
    <form class="lobby panel" onSubmit={event => void go(event)}>
      <h2>{hasInvite ? `You are invited to a ${props.what}` : `Make or join a ${props.what}`}</h2>
      <p class="lead">
        No account is needed. The name and the colour are told to the others in the room alone; the server sees neither them nor anything that is said.
      </p>
      <PersonFields person={person} onChange={setPerson} />
      {hasInvite ? null : (
        <label class="field">
          <span>
            Invite link <small>(leave it empty to make a new {props.what})</small>
          </span>
          <input value={link} autoComplete="off" spellcheck={false} onInput={event => setLink(event.currentTarget.value)} />
        </label>
      )}
      <div class="row">
        <button class="primary" disabled={busy}>
          {busy ? 'One moment…' : hasInvite || link.trim() !== '' ? 'Join' : `Make a ${props.what}`}
        </button>
      </div>
      {problem === null ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  )
}
