import type { StoredObject } from '@deputy/client/storage'
import { useState } from 'preact/hooks'
import { Problem } from '../kit/demo.tsx'
import { bytes, hex } from '../kit/format.ts'
import { evidence } from './evidence-code.ts'

/** «What left the browser»: the server's whole knowledge of one object, read back from where anybody can read it. */
export function Evidence({ object }: { readonly object: StoredObject }) {
  const [seen, setSeen] = useState<Awaited<ReturnType<typeof evidence>> | null>(null)
  const [error, setError] = useState<unknown>(null)
  const look = () => {
    if (seen === null) evidence(object.url).then(setSeen, setError)
  }
  return (
    <details class="evidence" onToggle={event => event.currentTarget.open && look()}>
      <summary>What left the browser</summary>
      {seen === null ? null : (
        <>
          <dl>
            <dt>Address</dt>
            <dd>
              <code>{object.url}</code>
            </dd>
            <dt>Sealed bytes</dt>
            <dd>
              {seen.sealedLength.toLocaleString()} ({bytes(seen.sealedLength)}), {(seen.sealedLength - object.size).toLocaleString()} more than the file: 28 for
              each record of 1 MiB
            </dd>
            <dt>Name, type, key</dt>
            <dd>never sent</dd>
            <dt>First bytes as stored</dt>
            <dd>
              <pre>{hex(seen.firstBytes)}</pre>
            </dd>
          </dl>
        </>
      )}
      <Problem error={error} />
    </details>
  )
}
