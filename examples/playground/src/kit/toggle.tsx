import { useState } from 'preact/hooks'

/** A checkbox whose change is asked of somebody: it shows what was wished until that is settled. */
export function Toggle(props: { readonly label: string; readonly checked: boolean; readonly onToggle: (yes: boolean) => Promise<unknown> }) {
  const [wish, setWish] = useState<boolean | null>(null)
  const change = (yes: boolean) => {
    setWish(yes)
    void props.onToggle(yes).finally(() => setWish(null))
  }
  return (
    <label>
      <input type="checkbox" checked={wish ?? props.checked} onChange={event => change(event.currentTarget.checked)} />
      {props.label}
    </label>
  )
}
