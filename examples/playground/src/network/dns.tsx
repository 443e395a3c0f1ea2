import { useState } from 'preact/hooks'
import { Demo } from '../kit/demo.tsx'
import { HostField } from './address-fields.tsx'
import { resolve } from './dns-code.ts'
import { places } from './places.ts'
import { Trouble } from './trouble.tsx'
import code from 'raw:./dns-code.ts'

type Found = Awaited<ReturnType<typeof resolve>> & { readonly name: string }

/** Looks names up at the node. */
export function DnsTool() {
  const [name, setName] = useState(places.name)
  const [family, setFamily] = useState<0 | 4 | 6>(0)
  const [all, setAll] = useState(true)
  const [found, setFound] = useState<Found | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const look = async () => {
    setBusy(true)
    setError(null)
    setFound(null)
    await resolve(name, family, all).then(answer => setFound({ ...answer, name }), setError)
    setBusy(false)
  }
  return (
    <Demo
      id="dns"
      title="Names"
      lead="A name is resolved where the node stands. Names that lead into a private network are refused, whoever owns them."
      code={code}
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          void look()
        }}
      >
        <div class="line">
          <HostField label="Name" host={name} onHost={setName} />
          <label class="field">
            <span>Family</span>
            <select value={family} onChange={event => setFamily(Number(event.currentTarget.value) as 0 | 4 | 6)}>
              <option value={0}>either</option>
              <option value={4}>IPv4</option>
              <option value={6}>IPv6</option>
            </select>
          </label>
        </div>
        <div class="row">
          <button class="primary" disabled={busy}>
            Look up
          </button>
          <label class="check">
            <input type="checkbox" checked={all} onChange={event => setAll(event.currentTarget.checked)} />
            All addresses
          </label>
        </div>
      </form>
      <Trouble error={error} />
      <div role="status">
        {found === null ? null : (
          <>
            <p class="figures">
              <strong>
                {found.addresses.length === 0 ? 'No address' : found.addresses.length === 1 ? '1 address' : `${found.addresses.length} addresses`}
              </strong>{' '}
              <span>of {found.name}</span> <span>after {Math.round(found.ms)} ms</span>
            </p>
            <ul class="found">
              {found.addresses.map(({ address, family: kind }) => (
                <li key={address}>
                  <code dir="ltr">{address}</code> <small>IPv{kind}</small>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Demo>
  )
}
