/** The far end of a socket, as the room service needs it. */
export interface Wire {
  /** Hands on whole WebSocket frames in one write. */
  write(frames: readonly Buffer[]): void
  /** Bytes handed on and not yet taken by the network. */
  waiting(): number
  /** Closes with a code, after what was written. */
  close(code: number): void
  /** Cuts the socket off at once. */
  cut(): void
}

/**
 * One unmasked WebSocket text frame; `text` is ASCII, as all JSON of the rooms is. A frame that is `kept` has memory of its own:
 * a slice of a shared slab would keep all of the slab.
 */
export function textFrame(text: string, kept = false): Buffer {
  const { length } = text
  const head = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = kept ? Buffer.allocUnsafeSlow(head + length) : Buffer.allocUnsafe(head + length)
  frame[0] = 0x81
  if (head === 2) frame[1] = length
  else if (head === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeUInt32BE(0, 2)
    frame.writeUInt32BE(length, 6)
  }
  frame.write(text, head, 'latin1')
  return frame
}
