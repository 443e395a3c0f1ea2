import { lettersOf, type Person } from './words.ts'

/** A member's mark: the first letter in their colour. */
export function Face({ person }: { readonly person: Person }) {
  return (
    <span class={`mark hue-${person.colour}`} aria-hidden="true">
      {lettersOf(person.name)[0]?.toUpperCase()}
    </span>
  )
}
