/** What carries messages for a session: a WebSocket, or whatever else keeps their order and borders. */
export interface Carrier {
  /** Sends one message. The bytes are not changed afterwards, and may be sent again on another carrier. */
  send(message: Uint8Array<ArrayBuffer>): void
  /** Ends it; `hear.lost` is not called for this. */
  close(): void
}

/** Who hears a carrier. */
export interface CarrierEars {
  message(bytes: Uint8Array<ArrayBuffer>): void
  /** It ended by itself, or the other side ended it. */
  lost(): void
}
