import { useState } from 'preact/hooks'
import { Dialog } from '../kit/dialog.tsx'
import { keepOwnPerson } from './keepsake.ts'
import { PersonFields } from './person-fields.tsx'
import { cleanName, type Person } from './words.ts'

/** Another name or colour; the room is told. */
export function PersonDialog(props: { readonly person: Person; readonly onClose: () => void; readonly onPerson: (person: Person) => void }) {
  const [person, setPerson] = useState(props.person)
  const save = (event: SubmitEvent) => {
    event.preventDefault()
    const named = { ...person, name: cleanName(person.name) }
    if (named.name === '') return
    keepOwnPerson(named)
    props.onPerson(named)
    props.onClose()
  }
  return (
    <Dialog title="You in this room" onClose={props.onClose}>
      <form onSubmit={save}>
        <PersonFields person={person} onChange={setPerson} />
        <div class="row">
          <button class="primary">Save</button>
        </div>
      </form>
    </Dialog>
  )
}
