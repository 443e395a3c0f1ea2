import { useId } from 'preact/hooks'
import { hexOf, textOf, type Face } from './bytes.ts'

/** Whether bytes are shown as text or in hex. */
export function FaceChoice({ face, onFace }: { readonly face: Face; readonly onFace: (face: Face) => void }) {
  const name = useId()
  return (
    <fieldset class="faces">
      <legend class="unseen">Show bytes as</legend>
      {(['text', 'hex'] as const).map(one => (
        <label key={one}>
          <input type="radio" name={name} checked={face === one} onChange={() => onFace(one)} />
          {one === 'text' ? 'Text' : 'Hex'}
        </label>
      ))}
    </fieldset>
  )
}

/** Bytes with the chosen face. Hex is written from left to right whatever the page is. */
export function Bytes({ bytes, face }: { readonly bytes: Uint8Array; readonly face: Face }) {
  return (
    <pre class={face} dir={face === 'hex' ? 'ltr' : 'auto'}>
      {face === 'hex' ? hexOf(bytes) : textOf(bytes)}
    </pre>
  )
}
