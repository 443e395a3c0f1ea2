import { useId } from 'preact/hooks'
import { colours, longestName, type Person } from './words.ts'

/** The name and colour a person takes in a room. */
export function PersonFields({ person, onChange }: { readonly person: Person; readonly onChange: (person: Person) => void }) {
  const group = useId()
  return (
    <>
      <label class="field">
        <span>Your name here</span>
        <input
          required
          maxLength={longestName}
          autoComplete="off"
          value={person.name}
          onInput={event => onChange({ ...person, name: event.currentTarget.value })}
        />
      </label>
      <fieldset class="palette">
        <legend>Your colour</legend>
        {colours.map((label, colour) => (
          <label key={label} class={`hue-${colour}`} title={label}>
            <input type="radio" name={group} aria-label={label} checked={person.colour === colour} onChange={() => onChange({ ...person, colour })} />
          </label>
        ))}
      </fieldset>
    </>
  )
}
