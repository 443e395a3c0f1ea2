/** One message: its parts, to be sent as one. None of them is changed before the message was acknowledged. */
export interface Message {
  readonly parts: readonly Uint8Array<ArrayBuffer>[]
  readonly bytes: number
}

/** What carries messages for a session: a WebSocket, or whatever else keeps their order and borders. */
export interface Carrier {
  /** Sends one message, which may be sent again on another carrier. */
  send(message: Message): void
  /** Ends it; `hear.lost` is not called for this. */
  close(): void
}

/** Who hears a carrier. */
export interface CarrierEars {
  message(bytes: Uint8Array<ArrayBuffer>): void
  /** It ended by itself, or the other side ended it. */
  lost(): void
}

/** The message in one piece, for a carrier that cannot send parts. */
export function joined({ parts, bytes }: Message, allocate: (bytes: number) => Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const [first] = parts
  if (parts.length === 1 && first !== undefined) return first
  const whole = allocate(bytes)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}
