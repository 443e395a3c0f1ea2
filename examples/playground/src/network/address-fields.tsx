/** A host and a port, as they are typed. */
export interface Address {
  readonly host: string
  readonly port: string
}

/** The two fields of an address. */
export function AddressFields({
  address,
  disabled,
  onAddress,
}: {
  readonly address: Address
  readonly disabled?: boolean
  readonly onAddress: (address: Address) => void
}) {
  return (
    <div class="address">
      <label class="field">
        <span>Host</span>
        <input
          required
          dir="ltr"
          spellcheck={false}
          autoComplete="off"
          autoCapitalize="off"
          disabled={disabled}
          value={address.host}
          onInput={event => onAddress({ ...address, host: event.currentTarget.value.trim() })}
        />
      </label>
      <label class="field port">
        <span>Port</span>
        <input
          required
          dir="ltr"
          inputMode="numeric"
          pattern="[0-9]{1,5}"
          autoComplete="off"
          disabled={disabled}
          value={address.port}
          onInput={event => onAddress({ ...address, port: event.currentTarget.value.trim() })}
        />
      </label>
    </div>
  )
}
