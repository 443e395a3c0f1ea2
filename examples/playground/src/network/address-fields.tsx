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
      <HostField label="Host" host={address.host} disabled={disabled} onHost={host => onAddress({ ...address, host })} />
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

/** The field of a host's name or address. */
export function HostField({
  label,
  host,
  disabled,
  onHost,
}: {
  readonly label: string
  readonly host: string
  readonly disabled?: boolean | undefined
  readonly onHost: (host: string) => void
}) {
  return (
    <label class="field grow">
      <span>{label}</span>
      <input
        required
        dir="ltr"
        spellcheck={false}
        autoComplete="off"
        autoCapitalize="off"
        disabled={disabled}
        value={host}
        onInput={event => onHost(event.currentTarget.value.trim())}
      />
    </label>
  )
}
