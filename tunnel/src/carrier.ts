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
  /** One message, in one part or several. The listener keeps what it needs: the carrier does not change it afterwards. */
  message(...parts: readonly Uint8Array<ArrayBuffer>[]): void
  /** It ended by itself, or the other side ended it. */
  lost(): void
}

/** Puts messages into one piece, for a carrier that cannot send parts. What it answers is good until the next message: the carrier has to take a copy. */
export function joiner(): (message: Message) => Uint8Array<ArrayBuffer> {
  let memory = new Uint8Array()
  return ({ parts, bytes }) => {
    const [first] = parts
    if (parts.length === 1 && first !== undefined) return first
    if (memory.byteLength < bytes) memory = new Uint8Array(bytes * 2)
    let at = 0
    for (const part of parts) {
      memory.set(part, at)
      at += part.byteLength
    }
    return memory.subarray(0, bytes)
  }
}
